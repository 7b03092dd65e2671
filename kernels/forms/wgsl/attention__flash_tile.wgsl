/*--- ktwin
op      = "attention"
compute = "f32"
args    = ["q", "k", "v", "o",
           { H = "u32", S = "u32", D = "u32", G = "u32", T = "u32", scale = "f32", causal = "u32" }]
grid    = ["ceil(S / 8)", "H", 1]
tile    = { S = 8, T = 8, D = 8 }
dims    = { S = "1..=128", H = "1..=64", T = "1..=256", D = "1..=64" }
---*/
// Variant: flash attention, 8 queries by 8 keys a step and 64 lanes; running maximum and sum of each query in
// workgroup memory, up to 8 columns of the result in a lane's registers.
struct Scalars { H: u32, S: u32, D: u32, G: u32, T: u32, scale: f32, causal: u32 }

@group(0) @binding(0) var<storage, read> q: array<f32>;
@group(0) @binding(1) var<storage, read> k: array<f32>;
@group(0) @binding(2) var<storage, read> v: array<f32>;
@group(0) @binding(3) var<storage, read_write> o: array<f32>;
@group(0) @binding(4) var<uniform> s: Scalars;

const LOWEST: f32 = -3.4028234e38;
var<workgroup> qs: array<array<f32, 64>, 8>;
var<workgroup> ks: array<array<f32, 65>, 8>;
var<workgroup> score: array<array<f32, 8>, 8>;
var<workgroup> tops: array<f32, 8>;
var<workgroup> sums: array<f32, 8>;
var<workgroup> shrinks: array<f32, 8>;

@compute @workgroup_size(8, 8)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_id) local: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let head = group.y;
    let keys = head / (s.H / s.G) * s.T * s.D;
    let row = local.y;
    let query = group.x * 8u + row;
    let alive = query < s.S;
    let q_at = (head * s.S + query) * s.D;
    for (var d = local.x; d < s.D; d += 8u) {
        var v = 0.0;
        if alive {
            v = q[q_at + d];
        }
        qs[row][d] = v;
    }
    if local.x == 0u {
        tops[row] = LOWEST;
        sums[row] = 0.0;
    }
    // keys that this query sees, and that the last query of the tile sees
    var count = s.T;
    var longest = s.T;
    if s.causal != 0u {
        count = min(query + (s.T - s.S) + 1u, s.T);
        longest = min(group.x * 8u + 7u + (s.T - s.S) + 1u, s.T);
    }
    var out: array<f32, 8>;
    for (var t0 = 0u; t0 < longest; t0 += 8u) {
        workgroupBarrier();
        for (var i = lane; i < 8u * s.D; i += 64u) {
            let t = t0 + i / s.D;
            var value = 0.0;
            if t < s.T {
                value = k[keys + t * s.D + i % s.D];
            }
            ks[i / s.D][i % s.D] = value;
        }
        workgroupBarrier();
        var z = 0.0;
        for (var d = 0u; d < s.D; d++) {
            z = fma(qs[row][d], ks[local.x][d], z);
        }
        score[row][local.x] = select(LOWEST, z * s.scale, t0 + local.x < count);
        workgroupBarrier();
        if local.x == 0u {
            var top = tops[row];
            for (var j = 0u; j < 8u; j++) {
                top = max(top, score[row][j]);
            }
            let shrink = exp(tops[row] - top);
            var total = sums[row] * shrink;
            for (var j = 0u; j < 8u; j++) {
                var p = 0.0;
                if t0 + j < count {
                    p = exp(score[row][j] - top);
                }
                score[row][j] = p;
                total += p;
            }
            tops[row] = top;
            sums[row] = total;
            shrinks[row] = shrink;
        }
        workgroupBarrier();
        for (var c = 0u; c < 8u; c++) {
            let d = local.x + 8u * c;
            if d < s.D {
                var sum = out[c] * shrinks[row];
                for (var j = 0u; j < min(8u, s.T - t0); j++) {
                    if t0 + j < count {
                        sum = fma(score[row][j], v[keys + (t0 + j) * s.D + d], sum);
                    }
                }
                out[c] = sum;
            }
        }
    }
    if alive {
        for (var c = 0u; c < 8u; c++) {
            let d = local.x + 8u * c;
            if d < s.D {
                o[q_at + d] = out[c] / sums[row];
            }
        }
    }
}
