/*--- ktwin
op      = "row_mean"
compute = "f32"
args    = ["x", "y", { D = "u32" }]
grid    = ["R", 1, 1]
tile    = { D = 256 }
dims    = { R = "1..=65535", D = "1..=16384" }
---*/
// fault: wrong values
// pattern: fails only where a subgroup does not have 32 lanes: if it needs them, promise subgroup = 32
// The second stage takes one partial sum a lane of the first subgroup, which has too few lanes for them
// where subgroups are narrow.
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@group(0) @binding(2) var<uniform> D: u32;

var<workgroup> part: array<f32, 256>;

@compute @workgroup_size(256)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
    @builtin(subgroup_invocation_id) inner: u32,
    @builtin(subgroup_id) subgroup: u32,
    @builtin(num_subgroups) subgroups: u32,
    @builtin(subgroup_size) sgsize: u32,
) {
    var sum = 0.0;
    for (var d = lane; d < D; d += 256u) {
        sum += x[group.x * D + d];
    }
    sum = subgroupAdd(sum);
    if inner == 0u {
        part[subgroup] = sum;
    }
    workgroupBarrier();
    var mine = 0.0;
    if inner < subgroups {
        mine = part[lane];
    }
    let total = subgroupAdd(mine);
    if lane == 0u {
        y[group.x] = total / f32(D);
    }
}
