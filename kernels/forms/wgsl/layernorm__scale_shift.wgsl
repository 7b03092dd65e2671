/*--- ktwin
op      = "layernorm"
compute = "f32"
args    = ["x", "w", "b", "y", { D = "u32", eps = "f32" }]
grid    = ["R", 1, 1]
tile    = { D = 64 }
dims    = { R = "1..=65535", D = "1..=16384" }
---*/
// Variant: x scale + shift with scale = w / sd and shift = b - mu scale, one fma an element.
struct Scalars { D: u32, eps: f32 }

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
    let row = group.x * s.D;
    var sum = 0.0;
    for (var d = lane; d < s.D; d += LANES) {
        sum += x[row + d];
    }
    let mu = tree_add(sum, lane) / f32(s.D);
    var squares = 0.0;
    for (var d = lane; d < s.D; d += LANES) {
        let e = x[row + d] - mu;
        squares += e * e;
    }
    let r = inverseSqrt(tree_add(squares, lane) / f32(s.D) + s.eps);
    for (var d = lane; d < s.D; d += LANES) {
        let scale = r * w[d];
        y[row + d] = fma(x[row + d], scale, b[d] - mu * scale);
    }
}
