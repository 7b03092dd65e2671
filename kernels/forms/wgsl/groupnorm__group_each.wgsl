/*--- ktwin
op      = "groupnorm"
compute = "f32"
args    = ["x", "w", "b", "y", { C = "u32", L = "u32", groups = "u32", eps = "f32" }]
grid    = ["groups", "N", 1]
tile    = { L = 64 }
dims    = { N = "1..=1024", C = "1..=1024", L = "1..=16384" }
---*/
// Variant: a workgroup for each group of channels of an image, whose elements lie side by side.
struct Scalars { C: u32, L: u32, groups: u32, eps: f32 }

@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read> w: array<f32>;
@group(0) @binding(2) var<storage, read> b: array<f32>;
@group(0) @binding(3) var<storage, read_write> y: array<f32>;
@group(0) @binding(4) var<uniform> s: Scalars;

const LANES = 64u;
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

@compute @workgroup_size(LANES)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let each = s.C / s.groups * s.L;
    let first = (group.y * s.groups + group.x) * each;
    var sum = 0.0;
    for (var i = lane; i < each; i += LANES) {
        sum += x[first + i];
    }
    let mu = tree_add(sum, lane) / f32(each);
    var squares = 0.0;
    for (var i = lane; i < each; i += LANES) {
        let e = x[first + i] - mu;
        squares += e * e;
    }
    let r = inverseSqrt(tree_add(squares, lane) / f32(each) + s.eps);
    for (var i = lane; i < each; i += LANES) {
        let c = (first + i) / s.L % s.C;
        y[first + i] = (x[first + i] - mu) * r * w[c] + b[c];
    }
}
