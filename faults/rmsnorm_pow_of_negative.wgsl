/*--- ktwin
op      = "rmsnorm"
compute = "f32"
args    = ["x", "w", "y", { R = "u32", D = "u32", eps = "f32" }]
grid    = ["ceil(R / 64)", 1, 1]
tile    = { R = 64 }
dims    = { R = "1..=4194240" }
---*/
// fault: wrong class
// pattern: every wrong element is NaN
// Squares by way of pow, which WGSL does not define for what is below zero.
struct Scalars { R: u32, D: u32, eps: f32 }

@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read> w: array<f32>;
@group(0) @binding(2) var<storage, read_write> y: array<f32>;
@group(0) @binding(3) var<uniform> s: Scalars;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= s.R {
        return;
    }
    var sum = 0.0;
    for (var d = 0u; d < s.D; d++) {
        sum += pow(x[id.x * s.D + d], 2.0);
    }
    let root = sqrt(sum / f32(s.D) + s.eps);
    for (var d = 0u; d < s.D; d++) {
        y[id.x * s.D + d] = x[id.x * s.D + d] / root * w[d];
    }
}
