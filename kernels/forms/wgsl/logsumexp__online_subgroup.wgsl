/*--- ktwin
op      = "logsumexp"
compute = "f32"
args    = ["x", "y", { D = "u32" }]
grid    = ["R", 1, 1]
tile    = { D = 64 }
dims    = { R = "1..=65535", D = "1..=16384" }
---*/
// Variant: online pairs in each lane, merged over the subgroup by subgroupMax and a rescaled subgroupAdd.
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@group(0) @binding(2) var<uniform> D: u32;

const LOWEST: f32 = -3.4028234e38;
var<workgroup> tops: array<f32, 64>;
var<workgroup> sums: array<f32, 64>;

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
    @builtin(subgroup_invocation_id) inner: u32,
    @builtin(subgroup_id) subgroup: u32,
    @builtin(num_subgroups) subgroups: u32,
) {
    let row = group.x * D;
    var top = LOWEST;
    var sum = 0.0;
    for (var d = lane; d < D; d += 64u) {
        let v = x[row + d];
        if v > top {
            sum = sum * exp(top - v) + 1.0;
            top = v;
        } else {
            sum += exp(v - top);
        }
    }
    let over = subgroupMax(top);
    let together = subgroupAdd(sum * exp(top - over));
    if inner == 0u {
        tops[subgroup] = over;
        sums[subgroup] = together;
    }
    workgroupBarrier();
    if lane == 0u {
        var highest = tops[0];
        for (var i = 1u; i < subgroups; i++) {
            highest = max(highest, tops[i]);
        }
        var total = 0.0;
        for (var i = 0u; i < subgroups; i++) {
            total += sums[i] * exp(tops[i] - highest);
        }
        y[group.x] = highest + log(total);
    }
}
