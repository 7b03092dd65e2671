/*--- ktwin
op      = "attention"
types   = { q = "f16", k = "f16", v = "f16", o = "f16" }
compute = "f32"
args    = ["q", "k", "v", "o",
           { H = "u32", S = "u32", D = "u32", G = "u32", T = "u32", scale = "f32", causal = "u32" }]
grid    = ["S", "H", 1]
tile    = { T = 64, D = 128 }
dims    = { S = "1..=4096", H = "1..=1024", T = "1..=1024", D = ["multiple of 2", "2..=256"] }
---*/
// Variant: f16 storage two a word, scores of all keys in workgroup memory, f32 between.
struct Scalars { H: u32, S: u32, D: u32, G: u32, T: u32, scale: f32, causal: u32 }

@group(0) @binding(0) var<storage, read> q: array<u32>;
@group(0) @binding(1) var<storage, read> k: array<u32>;
@group(0) @binding(2) var<storage, read> v: array<u32>;
@group(0) @binding(3) var<storage, read_write> o: array<u32>;
@group(0) @binding(4) var<uniform> s: Scalars;

var<workgroup> score: array<f32, 1024>;
var<workgroup> part: array<f32, 64>;

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let words = s.D / 2u;
    let at = (group.y * s.S + group.x) * words;
    let keys = group.y / (s.H / s.G) * s.T * words;
    let count = select(s.T, group.x + (s.T - s.S) + 1u, s.causal != 0u);
    var top = -3.4028234e38;
    for (var t = lane; t < count; t += 64u) {
        var z = 0.0;
        for (var d = 0u; d < words; d++) {
            z += dot(unpack2x16float(q[at + d]), unpack2x16float(k[keys + t * words + d]));
        }
        z *= s.scale;
        score[t] = z;
        top = max(top, z);
    }
    part[lane] = top;
    workgroupBarrier();
    for (var half = 32u; half > 0u; half /= 2u) {
        if lane < half {
            part[lane] = max(part[lane], part[lane + half]);
        }
        workgroupBarrier();
    }
    top = part[0];
    workgroupBarrier();
    var sum = 0.0;
    for (var t = lane; t < count; t += 64u) {
        let p = exp(score[t] - top);
        score[t] = p;
        sum += p;
    }
    part[lane] = sum;
    workgroupBarrier();
    for (var half = 32u; half > 0u; half /= 2u) {
        if lane < half {
            part[lane] += part[lane + half];
        }
        workgroupBarrier();
    }
    let scale = 1.0 / part[0];
    for (var d = lane; d < words; d += 64u) {
        var out = vec2(0.0);
        for (var t = 0u; t < count; t++) {
            out += score[t] * unpack2x16float(v[keys + t * words + d]);
        }
        o[at + d] = pack2x16float(out * scale);
    }
}
