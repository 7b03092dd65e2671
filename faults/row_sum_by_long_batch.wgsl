/*--- ktwin
op              = "row_sum"
args            = ["x", "y", { R = "u32", D = "u32" }]
grid            = ["R", 1, 1]
dims            = { R = "..=65535" }
batch_invariant = true
---*/
// fault: not batch invariant
// pattern: none
// From 640 rows on, fewer lanes share a row: its parts are added up in another order.
struct Sizes { rows: u32, length: u32 }

@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@group(0) @binding(2) var<uniform> sizes: Sizes;

const LANES = 64u;
var<workgroup> parts: array<f32, LANES>;

@compute @workgroup_size(LANES)
fn row_sum(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let share = select(LANES, LANES / 4u, sizes.rows >= 640u);
    var sum = 0.0;
    if lane < share {
        for (var d = lane; d < sizes.length; d += share) {
            sum += x[group.x * sizes.length + d];
        }
    }
    parts[lane] = sum;
    workgroupBarrier();
    for (var half = LANES / 2u; half > 0u; half /= 2u) {
        if lane < half {
            parts[lane] += parts[lane + half];
        }
        workgroupBarrier();
    }
    if lane == 0u {
        y[group.x] = parts[0];
    }
}
