/*--- ktwin
op      = "mean"
compute = "f32"
args    = ["x", "y", { N = "u32" }]
grid    = [1, 1, 1]
tile    = { N = 64 }
dims    = { N = "1..=65536" }
---*/
// Variant: one workgroup, compensated (Kahan) sums in each lane, then a tree.
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@group(0) @binding(2) var<uniform> N: u32;

const LANES = 64u;
var<workgroup> part: array<f32, LANES>;

@compute @workgroup_size(LANES)
fn main(@builtin(local_invocation_index) lane: u32) {
    var sum = 0.0;
    var lost = 0.0;
    for (var n = lane; n < N; n += LANES) {
        let more = x[n] - lost;
        let next = sum + more;
        lost = (next - sum) - more;
        sum = next;
    }
    part[lane] = sum;
    workgroupBarrier();
    for (var half = LANES / 2u; half > 0u; half /= 2u) {
        if lane < half {
            part[lane] += part[lane + half];
        }
        workgroupBarrier();
    }
    if lane == 0u {
        y[0] = part[0] / f32(N);
    }
}
