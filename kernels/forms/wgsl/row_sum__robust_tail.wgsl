/*--- ktwin
op     = "row_sum"
args   = ["x", "y", { R = "u32", D = "u32" }]
grid   = ["R", 1, 1]
tile   = { D = 64 }
robust = true
---*/
// The last tile reads past its row, and in the last row past the buffer; what it finds there is multiplied by 0.
struct Sizes { R: u32, D: u32 }
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@group(0) @binding(2) var<uniform> s: Sizes;

var<workgroup> part: array<f32, 64>;

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    var sum = 0.0;
    for (var d = lane; d < (s.D + 63u) / 64u * 64u; d += 64u) {
        let inside = d < s.D;
        let value = x[group.x * s.D + d];
        sum += select(0.0, 1.0, inside) * select(0.0, value, inside || value == value && abs(value) < 1e30);
    }
    part[lane] = sum;
    for (var step = 32u; step > 0u; step /= 2u) {
        workgroupBarrier();
        if lane < step { part[lane] += part[lane + step]; }
    }
    if lane == 0u { y[group.x] = part[0]; }
}
