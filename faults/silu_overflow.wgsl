/*--- ktwin
op      = "silu"
compute = "f32"
args    = ["x", "y", { N = "u32" }]
grid    = ["ceil(N / 256)", 1, 1]
tile    = { N = 256 }
dims    = { N = "1..=16776960" }
---*/
// fault: wrong class
// pattern: every wrong element is NaN
// exp(x) / (1 + exp(x)): where the exponential overflows, infinity is divided by infinity.
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
    let e = exp(v);
    y[n] = v * (e / (1.0 + e));
}
