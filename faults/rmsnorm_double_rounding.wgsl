/*--- ktwin
op      = "rmsnorm"
types   = { x = "f16", w = "f16", y = "f16" }
compute = "f32"
args    = ["x", "w", "y", { D = "u32", eps = "f32" }]
grid    = ["R", 1, 1]
tile    = { D = 128 }
dims    = { R = "1..=65535", D = "1..=16384" }
---*/
// fault: wrong values
// pattern: the wrong elements agree to
// The normalised number is rounded to f16 before it meets its weight, and once more after.
enable f16;

struct Scalars { D: u32, eps: f32 }

@group(0) @binding(0) var<storage, read> x: array<f16>;
@group(0) @binding(1) var<storage, read> w: array<f16>;
@group(0) @binding(2) var<storage, read_write> y: array<f16>;
@group(0) @binding(3) var<uniform> s: Scalars;

var<workgroup> part: array<f32, 128>;

@compute @workgroup_size(128)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let row = group.x * s.D;
    var sum = 0.0;
    for (var d = lane; d < s.D; d += 128u) {
        let v = f32(x[row + d]);
        sum += v * v;
    }
    part[lane] = sum;
    workgroupBarrier();
    for (var half = 64u; half > 0u; half /= 2u) {
        if lane < half {
            part[lane] += part[lane + half];
        }
        workgroupBarrier();
    }
    let root = sqrt(part[0] / f32(s.D) + s.eps);
    for (var d = lane; d < s.D; d += 128u) {
        y[row + d] = f16(f32(x[row + d]) / root) * w[d];
    }
}
