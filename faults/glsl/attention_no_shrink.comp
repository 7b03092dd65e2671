/*--- ktwin
op      = "attention"
compute = "f32"
args    = ["q", "k", "v", "o"]
push    = { H = "u32", S = "u32", D = "u32", G = "u32", T = "u32", scale = "f32", causal = "u32" }
define  = { BC = 32, MOST_D = 128 }
grid    = ["S", "H", 1]
tile    = { T = 32, D = 32 }
dims    = { S = "1..=65535", H = "1..=65535", T = "1..=65536", D = "1..=128" }
---*/
// fault: wrong values
// pattern: right if the t that counts most comes first: what was summed is not rescaled when the maximum rises
// What was summed up before a higher maximum came is not scaled down with the total.
#version 450
layout(local_size_x = 32) in;
layout(constant_id = 0) const uint BC = 16;
layout(constant_id = 1) const uint MOST_D = 64;
layout(binding = 0) readonly buffer Q { float q[]; };
layout(binding = 1) readonly buffer K { float k[]; };
layout(binding = 2) readonly buffer V { float v[]; };
layout(binding = 3) writeonly buffer O { float o[]; };
layout(push_constant) uniform Sizes { uint H; uint S; uint D; uint G; uint T; float scale; uint causal; } p;

shared float query[MOST_D];
shared float score[BC];

void main() {
    const uint lane = gl_LocalInvocationID.x;
    const uint s = gl_WorkGroupID.x, h = gl_WorkGroupID.y;
    const uint at = (h * p.S + s) * p.D;
    const uint keys = h / (p.H / p.G) * p.T * p.D;
    const uint count = p.causal != 0 ? s + (p.T - p.S) + 1 : p.T;
    for (uint d = lane; d < p.D; d += 32) {
        query[d] = q[at + d];
    }
    barrier();

    const float NEG_INF = -1.0 / 0.0;
    float top = NEG_INF;
    float total = 0.0;
    vec4 sum = vec4(0.0);
    for (uint t0 = 0; t0 < count; t0 += BC) {
        const uint block = min(BC, count - t0);
        if (lane < block) {
            float z = 0.0;
            for (uint d = 0; d < p.D; d++) {
                z += query[d] * k[keys + (t0 + lane) * p.D + d];
            }
            score[lane] = z * p.scale;
        }
        barrier();
        float higher = top;
        for (uint t = 0; t < block; t++) {
            higher = max(higher, score[t]);
        }
        const float shrink = exp(top - higher);
        top = higher;
        total *= shrink;
        for (uint t = 0; t < block; t++) {
            const float e = exp(score[t] - top);
            total += e;
            for (uint c = 0; c < 4; c++) {
                const uint d = lane + 32 * c;
                if (d < p.D) {
                    sum[c] += e * v[keys + (t0 + t) * p.D + d];
                }
            }
        }
        barrier();
    }
    for (uint c = 0; c < 4; c++) {
        const uint d = lane + 32 * c;
        if (d < p.D) {
            o[at + d] = sum[c] / total;
        }
    }
}
