/*--- ktwin
op      = "rmsnorm"
compute = "f32"
args    = ["x", "w", "y", { D = "u32", eps = "f32" }]
grid    = ["R", 1, 1]
tile    = { D = 256 }
dims    = { R = "1..=65535", D = "1..=16384" }
---*/
// fault: unwritten elements
// pattern: every wrong element was never written
// pattern: wrong exactly where d =
// The second pass ends one element early.
struct Scalars { D: u32, eps: f32 }

@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read> w: array<f32>;
@group(0) @binding(2) var<storage, read_write> y: array<f32>;
@group(0) @binding(3) var<uniform> s: Scalars;

var<workgroup> part: array<f32, 256>;

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let row = group.x * s.D;
    var sum = 0.0;
    for (var d = lane; d < s.D; d += 256u) {
        sum += x[row + d] * x[row + d];
    }
    part[lane] = sum;
    workgroupBarrier();
    for (var half = 128u; half > 0u; half /= 2u) {
        if lane < half {
            part[lane] += part[lane + half];
        }
        workgroupBarrier();
    }
    let root = sqrt(part[0] / f32(s.D) + s.eps);
    for (var d = lane; d + 1u < s.D; d += 256u) {
        y[row + d] = x[row + d] / root * w[d];
    }
}
