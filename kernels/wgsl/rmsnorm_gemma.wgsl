/*--- ktwin
op      = "rmsnorm_gemma"
compute = "f32"
args    = ["x", "w", "y", { R = "u32", D = "u32", eps = "f32" }]
grid    = ["ceil(R / 4)", 1, 1]
tile    = { R = 4, D = 32 }
dims    = { R = "1..=65535", D = "1..=16384" }
---*/
// Four rows a workgroup, 32 lanes a row. The lanes of a row share their sums through workgroup memory; a row
// beyond the last computes nothing, but walks through the same barriers.
struct Scalars { R: u32, D: u32, eps: f32 }

@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read> w: array<f32>;
@group(0) @binding(2) var<storage, read_write> y: array<f32>;
@group(0) @binding(3) var<uniform> s: Scalars;

var<workgroup> part: array<array<f32, 32>, 4>;

@compute @workgroup_size(32, 4)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) lane: vec3<u32>) {
    let r = group.x * 4u + lane.y;
    let columns = select(0u, s.D, r < s.R);
    var sum = 0.0;
    for (var d = lane.x; d < columns; d += 32u) {
        let v = x[r * s.D + d];
        sum = fma(v, v, sum);
    }
    part[lane.y][lane.x] = sum;
    workgroupBarrier();
    var total = 0.0;
    for (var i = 0u; i < 32u; i++) {
        total += part[lane.y][i];
    }
    let scale = inverseSqrt(total / f32(s.D) + s.eps);
    for (var d = lane.x; d < columns; d += 32u) {
        y[r * s.D + d] = x[r * s.D + d] * scale * (1.0 + w[d]);
    }
}
