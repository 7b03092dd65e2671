/*--- ktwin
op      = "attention"
compute = "f32"
args    = ["q", "k", "v", "o",
           { H = "u32", S = "u32", D = "u32", G = "u32", T = "u32", scale = "f32", causal = "u32" }]
grid    = ["ceil(S / 32)", "H", 1]
tile    = { S = 32 }
dims    = { S = "1..=128", H = "1..=64", T = "1..=256", D = "1..=64" }
---*/
// Variant: one lane a query, online softmax in base 2 (log2(e) folded into the scale, as FlashAttention does),
// 64 sums in a private array.
struct Scalars { H: u32, S: u32, D: u32, G: u32, T: u32, scale: f32, causal: u32 }

@group(0) @binding(0) var<storage, read> q: array<f32>;
@group(0) @binding(1) var<storage, read> k: array<f32>;
@group(0) @binding(2) var<storage, read> v: array<f32>;
@group(0) @binding(3) var<storage, read_write> o: array<f32>;
@group(0) @binding(4) var<uniform> s: Scalars;

@compute @workgroup_size(32)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= s.S {
        return;
    }
    let at = (group.y * s.S + id.x) * s.D;
    let keys = group.y / (s.H / s.G) * s.T * s.D;
    var count = s.T;
    if s.causal != 0u {
        count = id.x + (s.T - s.S) + 1u;
    }
    let factor = s.scale * 1.4426950408889634;
    var out: array<f32, 64>;
    var top = -3.4028234e38;
    var total = 0.0;
    for (var t = 0u; t < count; t++) {
        var z = 0.0;
        for (var d = 0u; d < s.D; d++) {
            z = fma(q[at + d], k[keys + t * s.D + d], z);
        }
        z *= factor;
        let higher = max(top, z);
        let shrink = exp2(top - higher);
        let p = exp2(z - higher);
        top = higher;
        total = fma(total, shrink, p);
        for (var d = 0u; d < s.D; d++) {
            out[d] = fma(out[d], shrink, p * v[keys + t * s.D + d]);
        }
    }
    for (var d = 0u; d < s.D; d++) {
        o[at + d] = out[d] / total;
    }
}
