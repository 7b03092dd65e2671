/*--- ktwin
op      = "attention_kv"
compute = "f32"
args    = ["q", "k", "v", "o",
           { H = "u32", S = "u32", D = "u32", G = "u32", T = "u32", len = "u32", scale = "f32", causal = "u32" }]
grid    = ["S", "H", 1]
tile    = { T = 128 }
dims    = { S = "1..=1024", H = "1..=1024", T = "1..=4096", D = "1..=128" }
---*/
// Variant: lanes share out the keys, each with an online softmax of its own over the scores; probabilities go
// through workgroup memory, 128 keys at a time.
struct Scalars { H: u32, S: u32, D: u32, G: u32, T: u32, len: u32, scale: f32, causal: u32 }

@group(0) @binding(0) var<storage, read> q: array<f32>;
@group(0) @binding(1) var<storage, read> k: array<f32>;
@group(0) @binding(2) var<storage, read> v: array<f32>;
@group(0) @binding(3) var<storage, read_write> o: array<f32>;
@group(0) @binding(4) var<uniform> s: Scalars;

const LANES = 128u;
var<workgroup> part: array<f32, LANES>;
var<workgroup> probs: array<f32, LANES>;

@compute @workgroup_size(LANES)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let at = (group.y * s.S + group.x) * s.D;
    let keys = group.y / (s.H / s.G) * s.T * s.D;
    let count = select(s.len, group.x + (s.len - s.S) + 1u, s.causal != 0u);
    var top = -3.4028234e38;
    var total = 0.0;
    var out = 0.0;
    for (var t0 = 0u; t0 < count; t0 += LANES) {
        let t = t0 + lane;
        var z = -3.4028234e38;
        if t < count {
            z = 0.0;
            for (var d = 0u; d < s.D; d++) {
                z += q[at + d] * k[keys + t * s.D + d];
            }
            z *= s.scale;
        }
        part[lane] = z;
        workgroupBarrier();
        for (var half = LANES / 2u; half > 0u; half /= 2u) {
            if lane < half {
                part[lane] = max(part[lane], part[lane + half]);
            }
            workgroupBarrier();
        }
        let higher = max(top, part[0]);
        let shrink = exp(top - higher);
        top = higher;
        probs[lane] = 0.0;
        if t < count {
            probs[lane] = exp(z - top);
        }
        workgroupBarrier();
        total *= shrink;
        out *= shrink;
        for (var j = 0u; j < min(LANES, count - t0); j++) {
            total += probs[j];
            if lane < s.D {
                out = fma(probs[j], v[keys + (t0 + j) * s.D + lane], out);
            }
        }
        workgroupBarrier();
    }
    if lane < s.D {
        o[at + lane] = out / total;
    }
}
