/*--- ktwin
op      = "silu_gate"
types   = { g = "f16", u = "f16", y = "f16" }
compute = "f32"
args    = ["g", "u", "y", { N = "u32" }]
grid    = ["ceil(N / 256)", 1, 1]
tile    = { N = 256 }
dims    = { N = "1..=16776960" }
---*/
// Halves packed two a word: one word a lane, so that no two lanes write the same word. The last word of an
// odd length has a half to spare.
@group(0) @binding(0) var<storage, read> g: array<u32>;
@group(0) @binding(1) var<storage, read> u: array<u32>;
@group(0) @binding(2) var<storage, read_write> y: array<u32>;
@group(0) @binding(3) var<uniform> N: u32;

@compute @workgroup_size(128)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let word = id.x;
    if word >= (N + 1u) / 2u {
        return;
    }
    let v = unpack2x16float(g[word]);
    let out = v * (1.0 / (1.0 + exp(-v))) * unpack2x16float(u[word]);
    let odd_end = word == N / 2u;
    y[word] = pack2x16float(select(out, vec2(out.x, 0.0), odd_end));
}
