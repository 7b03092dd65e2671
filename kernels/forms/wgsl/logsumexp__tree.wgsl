/*--- ktwin
op      = "logsumexp"
compute = "f32"
args    = ["x", "y", { D = "u32" }]
grid    = ["R", 1, 1]
tile    = { D = 256 }
dims    = { R = "1..=65535", D = "1..=16384" }
---*/
// Variant: two trees; the logarithm by log2 and ln 2.
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@group(0) @binding(2) var<uniform> D: u32;

const LANES = 256u;
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
    let row = group.x * D;
    var top = x[row];
    for (var d = lane; d < D; d += LANES) {
        top = max(top, x[row + d]);
    }
    top = tree_max(top, lane);
    var sum = 0.0;
    for (var d = lane; d < D; d += LANES) {
        sum += exp(x[row + d] - top);
    }
    let total = tree_add(sum, lane);
    if lane == 0u {
        y[group.x] = fma(log2(total), 0.6931471805599453, top);
    }
}
