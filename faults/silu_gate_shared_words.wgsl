/*--- ktwin
op      = "silu_gate"
types   = { g = "f16", u = "f16", y = "f16" }
compute = "f32"
args    = ["g", "u", "y", { N = "u32" }]
grid    = ["ceil(N / 128)", 1, 1]
tile    = { N = 256 }
dims    = { N = "1..=16776960" }
---*/
// fault: uninitialised read
// pattern: every wrong element was never written
// One lane an element: two lanes write the halves of one word, and one of them gets lost.
@group(0) @binding(0) var<storage, read> g: array<u32>;
@group(0) @binding(1) var<storage, read> u: array<u32>;
@group(0) @binding(2) var<storage, read_write> y: array<u32>;
@group(0) @binding(3) var<uniform> N: u32;

@compute @workgroup_size(128)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let word = id.x / 2u;
    if id.x >= N {
        return;
    }
    let v = unpack2x16float(g[word]);
    let out = v * (1.0 / (1.0 + exp(-v))) * unpack2x16float(u[word]);
    let mine = id.x % 2u == 0u;
    let kept = unpack2x16float(y[word]);
    y[word] = pack2x16float(select(vec2(kept.x, out.y), vec2(out.x, kept.y), mine));
}
