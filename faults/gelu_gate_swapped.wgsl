/*--- ktwin
op      = "gelu_gate"
compute = "f32"
args    = ["g", "u", "y", { N = "u32" }]
grid    = ["min(ceil(N / 128), 64)", 1, 1]
tile    = { N = 8192 }
dims    = { N = "1..=16776960" }
---*/
// fault: wrong values
// pattern: matches the op with `g and u` read as `u and g`
// Gate and value are swapped.
@group(0) @binding(0) var<storage, read> g: array<f32>;
@group(0) @binding(1) var<storage, read> u: array<f32>;
@group(0) @binding(2) var<storage, read_write> y: array<f32>;
@group(0) @binding(3) var<uniform> N: u32;

const ROOT_2_PI: f32 = 0.7978845608028654;

@compute @workgroup_size(128)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    for (var n = id.x; n < N; n += groups.x * 128u) {
        let v = u[n];
        let inner = ROOT_2_PI * (v + 0.044715 * v * v * v);
        y[n] = 0.5 * v * (1.0 + tanh(clamp(inner, -10.0, 10.0))) * g[n];
    }
}
