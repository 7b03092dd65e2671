/*--- ktwin
op      = "rmsnorm"
compute = "f32"
args    = ["x", "w", "y", { R = "u32", D = "u32", eps = "f32" }]
grid    = ["ceil(R / 64)", 1, 1]
tile    = { R = 64 }
dims    = { R = "1..=65535", D = "1..=16384" }
---*/
// fault: wrong values
// pattern: matches the op with `sum[d](x[r, d]^2) / D` read as `sum[d](x[r, d]^2) / R`
// pattern: every element is wrong
// The mean divides by the number of rows.
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
    let row = id.x * s.D;
    var sum = 0.0;
    for (var d = 0u; d < s.D; d++) {
        sum += x[row + d] * x[row + d];
    }
    let root = sqrt(sum / f32(s.R) + s.eps);
    for (var d = 0u; d < s.D; d++) {
        y[row + d] = x[row + d] / root * w[d];
    }
}
