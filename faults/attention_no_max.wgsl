/*--- ktwin
op      = "attention"
compute = "f32"
args    = ["q", "k", "v", "o",
           { H = "u32", S = "u32", D = "u32", G = "u32", T = "u32", scale = "f32", causal = "u32" }]
grid    = ["S", "H", 1]
tile    = { T = 64, D = 64 }
dims    = { S = "1..=65535", H = "1..=65535", T = "1..=2048", D = "1..=256" }
---*/
// fault: wrong class
// pattern: matches the op with `z[h, s, t] - top[h, s]` read as `z[h, s, t]`
// The maximum is not taken off before the exponential, which overflows.
struct Scalars { H: u32, S: u32, D: u32, G: u32, T: u32, scale: f32, causal: u32 }

@group(0) @binding(0) var<storage, read> q: array<f32>;
@group(0) @binding(1) var<storage, read> k: array<f32>;
@group(0) @binding(2) var<storage, read> v: array<f32>;
@group(0) @binding(3) var<storage, read_write> o: array<f32>;
@group(0) @binding(4) var<uniform> s: Scalars;

var<workgroup> score: array<f32, 2048>;
var<workgroup> part: array<f32, 64>;

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let query = (group.y * s.S + group.x) * s.D;
    let keys = group.y / (s.H / s.G) * s.T * s.D;
    let count = select(s.T, group.x + (s.T - s.S) + 1u, s.causal != 0u);

    for (var t = lane; t < count; t += 64u) {
        var z = 0.0;
        for (var d = 0u; d < s.D; d++) {
            z += q[query + d] * k[keys + t * s.D + d];
        }
        score[t] = z * s.scale;
    }
    workgroupBarrier();

    var top = score[0];
    for (var t = lane; t < count; t += 64u) {
        top = max(top, score[t]);
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
        let p = exp(score[t]);
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
    let total = part[0];

    for (var d = lane; d < s.D; d += 64u) {
        var sum = 0.0;
        for (var t = 0u; t < count; t++) {
            sum += score[t] * v[keys + t * s.D + d];
        }
        o[query + d] = sum / total;
    }
}
