/*--- ktwin
op    = "layernorm"
args  = ["x", "w", "b", "y", { R = "u32", D = "u32", eps = "f32" }]
grid  = ["ceil(R / 64)", 1, 1]
---*/
// fault: wrong values
// pattern: matches the op with `sum[d]((x[r, d] - mu[r])^2)` read as `sum[d]((x[r, d])^2) - D * (mu[r])^2`
// The variance is the mean of the squares less the square of the mean: nothing is left of it far from zero.
struct Sizes {
    R: u32,
    D: u32,
    eps: f32,
}

@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read> w: array<f32>;
@group(0) @binding(2) var<storage, read> b: array<f32>;
@group(0) @binding(3) var<storage, read_write> y: array<f32>;
@group(0) @binding(4) var<uniform> s: Sizes;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= s.R {
        return;
    }
    let row = id.x * s.D;
    var sum = 0.0;
    var squares = 0.0;
    for (var d = 0u; d < s.D; d++) {
        sum += x[row + d];
        squares += x[row + d] * x[row + d];
    }
    let mean = sum / f32(s.D);
    let root = sqrt(max(squares / f32(s.D) - mean * mean, 0.0) + s.eps);
    for (var d = 0u; d < s.D; d++) {
        y[row + d] = (x[row + d] - mean) / root * w[d] + b[d];
    }
}
