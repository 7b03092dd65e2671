/*--- ktwin
op      = "adam"
compute = "f32"
args    = ["p", "g", "m", "v",
           { N = "u32", step = "u32", lr = "f32", beta1 = "f32", beta2 = "f32", eps = "f32" }]
grid    = ["ceil(N / 256)", 1, 1]
tile    = { N = 256 }
dims    = { N = "1..=16776960" }
---*/
// Variant: both running means as lerps m + (1 - beta)(g - m), bias corrections by pow.
struct Scalars { N: u32, step: u32, lr: f32, beta1: f32, beta2: f32, eps: f32 }

@group(0) @binding(0) var<storage, read_write> p: array<f32>;
@group(0) @binding(1) var<storage, read> g: array<f32>;
@group(0) @binding(2) var<storage, read_write> m: array<f32>;
@group(0) @binding(3) var<storage, read_write> v: array<f32>;
@group(0) @binding(4) var<uniform> s: Scalars;

@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let n = id.x;
    if n >= s.N {
        return;
    }
    let grad = g[n];
    let m1 = m[n] + (1.0 - s.beta1) * (grad - m[n]);
    let v1 = s.beta2 * v[n] + (1.0 - s.beta2) * grad * grad;
    m[n] = m1;
    v[n] = v1;
    let c1 = 1.0 - pow(s.beta1, f32(s.step));
    let c2 = 1.0 - pow(s.beta2, f32(s.step));
    p[n] -= s.lr * (m1 / c1) / (sqrt(v1 / c2) + s.eps);
}
