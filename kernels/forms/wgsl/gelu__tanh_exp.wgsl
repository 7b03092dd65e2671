/*--- ktwin
op      = "gelu"
compute = "f32"
args    = ["x", "y", { N = "u32" }]
grid    = ["ceil(N / 256)", 1, 1]
tile    = { N = 256 }
dims    = { N = "1..=16776960" }
---*/
// Variant: tanh made of one exponential, 1 - 2 / (exp(2u) + 1), the argument clamped so that it stays finite.
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@group(0) @binding(2) var<uniform> N: u32;

@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let n = id.x;
    if n >= N {
        return;
    }
    let v = x[n];
    let u = clamp(0.7978845608 * (v + 0.044715 * v * v * v), -20.0, 20.0);
    let t = 1.0 - 2.0 / (exp(2.0 * u) + 1.0);
    y[n] = 0.5 * v * (1.0 + t);
}
