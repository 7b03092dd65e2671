/*--- ktwin
op   = "row_sum"
args = ["x", "y", { D = "u32" }]
grid = ["R", 1, 1]
tile = { D = 64 }
dims = { R = "..=65535" }
---*/
// fault: not repeatable
// pattern: fails only where a subgroup does not have 32 lanes
// The first of 32 lanes adds up what the others have, as if all 32 had come as far: no barrier says so.
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@group(0) @binding(2) var<uniform> d: u32;

var<workgroup> own: array<atomic<u32>, 64>;
var<workgroup> part: array<f32, 2>;

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) row: vec3<u32>, @builtin(local_invocation_id) lane: vec3<u32>) {
    var sum = 0.0;
    for (var i = lane.x; i < d; i += 64u) {
        sum += x[row.x * d + i];
    }
    atomicStore(&own[lane.x], bitcast<u32>(sum));
    if (lane.x % 32u == 0u) {
        var all = 0.0;
        for (var i = 0u; i < 32u; i++) {
            all += bitcast<f32>(atomicLoad(&own[lane.x + i]));
        }
        part[lane.x / 32u] = all;
    }
    workgroupBarrier();
    if (lane.x == 0u) {
        y[row.x] = part[0] + part[1];
    }
}
