/*--- ktwin
op      = "adamw"
compute = "f32"
args    = ["p", "g", "m", "v",
           { N = "u32", step = "u32", lr = "f32", beta1 = "f32", beta2 = "f32", eps = "f32", decay = "f32" }]
grid    = ["ceil(N / 256)", 1, 1]
tile    = { N = 256 }
dims    = { N = "1..=16776960" }
---*/
// Variant: mix() for the running means, decay as a factor (1 - lr decay), the bias corrections gathered by a
// loop of products.
struct Scalars { N: u32, step: u32, lr: f32, beta1: f32, beta2: f32, eps: f32, decay: f32 }

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
    let m1 = mix(grad, m[n], s.beta1);
    let v1 = mix(grad * grad, v[n], s.beta2);
    m[n] = m1;
    v[n] = v1;
    var b1 = 1.0;
    var b2 = 1.0;
    for (var i = 0u; i < s.step; i++) {
        b1 *= s.beta1;
        b2 *= s.beta2;
    }
    p[n] = p[n] * (1.0 - s.lr * s.decay) - s.lr * (m1 / (1.0 - b1)) / (sqrt(v1 / (1.0 - b2)) + s.eps);
}
