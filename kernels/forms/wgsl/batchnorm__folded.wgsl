/*--- ktwin
op      = "batchnorm"
compute = "f32"
args    = ["x", "w", "b", "mu", "var", "y", { N = "u32", C = "u32", L = "u32", eps = "f32" }]
grid    = ["ceil(L / 64)", "C", "N"]
tile    = { L = 64 }
dims    = { N = "1..=1024", C = "1..=1024", L = "1..=65536" }
---*/
// Variant: scale and shift of the channel folded, one fma an element.
struct Scalars { N: u32, C: u32, L: u32, eps: f32 }

@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read> w: array<f32>;
@group(0) @binding(2) var<storage, read> b: array<f32>;
@group(0) @binding(3) var<storage, read> mu: array<f32>;
@group(0) @binding(4) var<storage, read> variance: array<f32>;
@group(0) @binding(5) var<storage, read_write> y: array<f32>;
@group(0) @binding(6) var<uniform> s: Scalars;

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(global_invocation_id) id: vec3<u32>) {
    let c = group.y;
    let l = id.x;
    if l >= s.L {
        return;
    }
    let scale = w[c] * inverseSqrt(variance[c] + s.eps);
    let at = (group.z * s.C + c) * s.L + l;
    y[at] = fma(x[at], scale, b[c] - mu[c] * scale);
}
