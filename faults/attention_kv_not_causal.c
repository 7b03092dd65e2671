/*--- ktwin
op   = "attention_kv"
args = ["q", "k", "v", "o", { H = "u32", G = "u32", S = "u32", T = "u32", D = "u32", len = "u32", scale = "f32" }]
fix  = { causal = true }
---*/
// fault: wrong values
// pattern: matches the op with `if causal and t > s + (len - S) then -inf else scale * sum[d](q[h, s, d] * k[h // (H // G), t, d])` read as `scale * sum[d](q[h, s, d] * k[h // (H // G), t, d])`
// Every query sees every key: right for one query at a time, and where nothing is causal.
#include <math.h>
#include <stdint.h>

typedef struct {
    uint32_t H, G, S, T, D, len;
    float scale;
} sizes_t;

static float score(const float *q, const float *k, sizes_t s)
{
    float sum = 0.0f;
    for (uint32_t d = 0; d < s.D; d++)
        sum += q[d] * k[d];
    return sum * s.scale;
}

static void row(const float *q, const float *k, const float *v, float *o, sizes_t s)
{
    float top = -INFINITY, total = 0.0f;
    for (uint32_t t = 0; t < s.len; t++)
        top = fmaxf(top, score(q, k + t * s.D, s));
    for (uint32_t d = 0; d < s.D; d++)
        o[d] = 0.0f;
    for (uint32_t t = 0; t < s.len; t++) {
        float p = expf(score(q, k + t * s.D, s) - top);
        total += p;
        for (uint32_t d = 0; d < s.D; d++)
            o[d] += p * v[t * s.D + d];
    }
    for (uint32_t d = 0; d < s.D; d++)
        o[d] /= total;
}

void attention_kv(const float *q, const float *k, const float *v, float *o, sizes_t s)
{
    for (uint32_t h = 0; h < s.H; h++) {
        uint32_t g = h / (s.H / s.G) * s.T * s.D;
        for (uint32_t i = 0; i < s.S; i++) {
            uint32_t at = (h * s.S + i) * s.D;
            row(q + at, k + g, v + g, o + at, s);
        }
    }
}
