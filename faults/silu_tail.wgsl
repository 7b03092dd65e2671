/*--- ktwin
op      = "silu"
compute = "f32"
args    = ["x", "y", { N = "u32" }]
grid    = ["ceil(N / 256)", 1, 1]
tile    = { N = 256 }
dims    = { N = "1..=16776960" }
---*/
// fault: out of bounds
// pattern: fails exactly when N is not a multiple of 256
// The guard is missing: the last workgroup goes on behind the end of both buffers.
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@group(0) @binding(2) var<uniform> N: u32;

@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let n = id.x;
    let v = x[n];
    y[n] = v * (1.0 / (1.0 + exp(-v)));
}
