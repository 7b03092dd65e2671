/*--- ktwin
op      = "attention"
compute = "f32"
args    = ["q", "k", "v", "o",
           { H = "u32", S = "u32", D = "u32", G = "u32", T = "u32", scale = "f32", causal = "u32" }]
grid    = ["S", "H", 1]
tile    = { T = 32, D = 32 }
dims    = { S = "1..=65535", H = "1..=65535", T = "1..=65536", D = "1..=128" }
---*/
// fault: wrong values
// pattern: matches the op with `z[h, s, t] - top[h, s]` read as `z[h, s, t] - max[t_ in 0..T where t_ // 32 <= t // 32](z[h, s, t_])`
// What was summed so far is not scaled down when a later block raises the maximum.
struct Scalars { H: u32, S: u32, D: u32, G: u32, T: u32, scale: f32, causal: u32 }

@group(0) @binding(0) var<storage, read> q: array<f32>;
@group(0) @binding(1) var<storage, read> k: array<f32>;
@group(0) @binding(2) var<storage, read> v: array<f32>;
@group(0) @binding(3) var<storage, read_write> o: array<f32>;
@group(0) @binding(4) var<uniform> s: Scalars;

const LOWEST: f32 = -3.4028234e38;

var<workgroup> query: array<f32, 128>;
var<workgroup> score: array<f32, 32>;

@compute @workgroup_size(32)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let at = (group.y * s.S + group.x) * s.D;
    let keys = group.y / (s.H / s.G) * s.T * s.D;
    let count = select(s.T, group.x + (s.T - s.S) + 1u, s.causal != 0u);
    for (var d = lane; d < s.D; d += 32u) {
        query[d] = q[at + d];
    }
    workgroupBarrier();

    var top = LOWEST;
    var total = 0.0;
    var sum: vec4<f32>; // columns lane, lane + 32, lane + 64 and lane + 96
    for (var t0 = 0u; t0 < count; t0 += 32u) {
        let block = min(32u, count - t0);
        if lane < block {
            var z = 0.0;
            for (var d = 0u; d < s.D; d++) {
                z += query[d] * k[keys + (t0 + lane) * s.D + d];
            }
            score[lane] = z * s.scale;
        }
        workgroupBarrier();
        var higher = top;
        for (var t = 0u; t < block; t++) {
            higher = max(higher, score[t]);
        }
        top = higher;
        for (var t = 0u; t < block; t++) {
            let p = exp(score[t] - top);
            total += p;
            for (var c = 0u; c < 4u; c++) {
                let d = lane + 32u * c;
                if d < s.D {
                    sum[c] += p * v[keys + (t0 + t) * s.D + d];
                }
            }
        }
        workgroupBarrier();
    }
    for (var c = 0u; c < 4u; c++) {
        let d = lane + 32u * c;
        if d < s.D {
            o[at + d] = sum[c] / total;
        }
    }
}
