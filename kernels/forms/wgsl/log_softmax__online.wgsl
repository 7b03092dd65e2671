/*--- ktwin
op      = "log_softmax"
compute = "f32"
args    = ["x", "y", { R = "u32", D = "u32" }]
grid    = ["ceil(R / 64)", 1, 1]
tile    = { R = 64 }
dims    = { R = "1..=65535", D = "1..=4096" }
---*/
// Variant: one lane a row, online sum with a branch where the maximum rises.
struct Scalars { R: u32, D: u32 }

@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@group(0) @binding(2) var<uniform> s: Scalars;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= s.R {
        return;
    }
    let row = id.x * s.D;
    var top = x[row];
    var sum = 1.0;
    for (var d = 1u; d < s.D; d++) {
        let v = x[row + d];
        if v <= top {
            sum += exp(v - top);
        } else {
            sum = sum * exp(top - v) + 1.0;
            top = v;
        }
    }
    let l = log(sum);
    for (var d = 0u; d < s.D; d++) {
        y[row + d] = (x[row + d] - top) - l;
    }
}
