/*--- ktwin
op      = "layernorm"
types   = { x = "f16", w = "f16", b = "f16", y = "f16" }
compute = "f32"
args    = ["x", "w", "b", "y", { D = "u32", eps = "f32" }]
grid    = ["R", 1, 1]
tile    = { D = 128 }
dims    = { R = "1..=65535", D = ["multiple of 2", "2..=16384"] }
---*/
// Variant: f16 storage two a word, sums in f32.
struct Scalars { D: u32, eps: f32 }

@group(0) @binding(0) var<storage, read> x: array<u32>;
@group(0) @binding(1) var<storage, read> w: array<u32>;
@group(0) @binding(2) var<storage, read> b: array<u32>;
@group(0) @binding(3) var<storage, read_write> y: array<u32>;
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
    let words = s.D / 2u;
    let row = group.x * words;
    var sum = 0.0;
    for (var i = lane; i < words; i += LANES) {
        let v = unpack2x16float(x[row + i]);
        sum += v.x + v.y;
    }
    let mu = tree_add(sum, lane) / f32(s.D);
    var squares = 0.0;
    for (var i = lane; i < words; i += LANES) {
        let e = unpack2x16float(x[row + i]) - mu;
        squares += dot(e, e);
    }
    let r = inverseSqrt(tree_add(squares, lane) / f32(s.D) + s.eps);
    for (var i = lane; i < words; i += LANES) {
        let n = (unpack2x16float(x[row + i]) - mu) * r;
        y[row + i] = pack2x16float(n * unpack2x16float(w[i]) + unpack2x16float(b[i]));
    }
}
