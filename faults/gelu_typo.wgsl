/*--- ktwin
op      = "gelu"
compute = "f32"
args    = ["x", "y", { N = "u32" }]
grid    = ["ceil(N / 256)", 1, 1]
tile    = { N = 256 }
dims    = { N = "1..=16776960" }
---*/
// fault: wrong values
// pattern: matches the op with `0.044715 * x[n]^3` read as `0.04715 * x[n]^3`
// A digit of the constant is missing: 0.04715 for 0.044715.
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@group(0) @binding(2) var<uniform> N: u32;

const ROOT_2_PI: f32 = 0.7978845608028654;

@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let n = id.x;
    if n >= N {
        return;
    }
    let v = x[n];
    let inner = ROOT_2_PI * (v + 0.04715 * v * v * v);
    y[n] = 0.5 * v * (1.0 + tanh(clamp(inner, -10.0, 10.0)));
}
