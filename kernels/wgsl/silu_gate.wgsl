/*--- ktwin
op      = "silu_gate"
compute = "f32"
args    = ["g", "u", "y", { N = "u32" }]
grid    = ["ceil(N / 256)", 1, 1]
tile    = { N = 256 }
dims    = { N = "1..=16776960" }
---*/
// Four neighbouring elements a lane, 64 lanes a workgroup; the last lane does what is left.
@group(0) @binding(0) var<storage, read> g: array<f32>;
@group(0) @binding(1) var<storage, read> u: array<f32>;
@group(0) @binding(2) var<storage, read_write> y: array<f32>;
@group(0) @binding(3) var<uniform> N: u32;

fn sigmoid(v: f32) -> f32 {
    return 1.0 / (1.0 + exp(-v));
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let first = id.x * 4u;
    for (var n = first; n < min(first + 4u, N); n++) {
        y[n] = g[n] * sigmoid(g[n]) * u[n];
    }
}
