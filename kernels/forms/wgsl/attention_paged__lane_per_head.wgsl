/*--- ktwin
op      = "attention_paged"
compute = "f32"
args    = ["q", "k", "v", "table", "len", "o",
           { N = "u32", H = "u32", D = "u32", U = "u32", B = "u32", G = "u32", L = "u32", scale = "f32" }]
grid    = ["ceil(H / 16)", "N", 1]
tile    = { H = 16 }
dims    = { N = "1..=1024", H = "1..=256", D = "1..=64" }
---*/
// Variant: one lane a head of a sequence, online softmax, a page looked up for each position.
struct Scalars { N: u32, H: u32, D: u32, U: u32, B: u32, G: u32, L: u32, scale: f32 }

@group(0) @binding(0) var<storage, read> q: array<f32>;
@group(0) @binding(1) var<storage, read> k: array<f32>;
@group(0) @binding(2) var<storage, read> v: array<f32>;
@group(0) @binding(3) var<storage, read> table: array<u32>;
@group(0) @binding(4) var<storage, read> len: array<u32>;
@group(0) @binding(5) var<storage, read_write> o: array<f32>;
@group(0) @binding(6) var<uniform> s: Scalars;

@compute @workgroup_size(16)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(global_invocation_id) id: vec3<u32>) {
    let n = group.y;
    let h = id.x;
    if h >= s.H {
        return;
    }
    let g = h / (s.H / s.G);
    let at = (n * s.H + h) * s.D;
    var out: array<f32, 64>;
    var top = -3.4028234e38;
    var total = 0.0;
    for (var t = 0u; t < len[n]; t++) {
        let page = table[n * s.L + t / s.B];
        let kv = ((page * s.B + t % s.B) * s.G + g) * s.D;
        var z = 0.0;
        for (var d = 0u; d < s.D; d++) {
            z += q[at + d] * k[kv + d];
        }
        z *= s.scale;
        if z > top {
            let shrink = exp(top - z);
            total *= shrink;
            for (var d = 0u; d < s.D; d++) {
                out[d] *= shrink;
            }
            top = z;
        }
        let p = exp(z - top);
        total += p;
        for (var d = 0u; d < s.D; d++) {
            out[d] += p * v[kv + d];
        }
    }
    for (var d = 0u; d < s.D; d++) {
        o[at + d] = out[d] / total;
    }
}
