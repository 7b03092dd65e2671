/*--- ktwin
op      = "cross_entropy"
compute = "f32"
args    = ["x", "target", "loss", { V = "u32" }]
grid    = ["T", 1, 1]
tile    = { V = 128 }
dims    = { T = "1..=65535", V = "1..=65536" }
---*/
// Variant: a workgroup a token, lane 0 writes log(total) + (top - x[target]).
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read> wanted: array<u32>;
@group(0) @binding(2) var<storage, read_write> loss: array<f32>;
@group(0) @binding(3) var<uniform> V: u32;

const LANES = 128u;
var<workgroup> part: array<f32, LANES>;

fn tree_add(own: f32, lane: u32) -> f32 {
    workgroupBarrier();
    part[lane] = own;
    workgroupBarrier();
    for (var half = LANES / 2u; half > 0u; half /= 2u) {
        if lane < half {
            part[lane] += part[lane + half];
        }
        workgroupBarrier();
    }
    return part[0];
}

fn tree_max(own: f32, lane: u32) -> f32 {
    workgroupBarrier();
    part[lane] = own;
    workgroupBarrier();
    for (var half = LANES / 2u; half > 0u; half /= 2u) {
        if lane < half {
            part[lane] = max(part[lane], part[lane + half]);
        }
        workgroupBarrier();
    }
    return part[0];
}

@compute @workgroup_size(LANES)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let row = group.x * V;
    var top = x[row];
    for (var v = lane; v < V; v += LANES) {
        top = max(top, x[row + v]);
    }
    top = tree_max(top, lane);
    var sum = 0.0;
    for (var v = lane; v < V; v += LANES) {
        sum += exp(x[row + v] - top);
    }
    let total = tree_add(sum, lane);
    if lane == 0u {
        loss[group.x] = log(total) + (top - x[row + wanted[group.x]]);
    }
}
