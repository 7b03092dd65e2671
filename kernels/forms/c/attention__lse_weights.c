/*--- ktwin
op      = "attention"
compute = "f32"
args    = ["q", "k", "v", "o",
           { H = "u32", S = "u32", D = "u32", G = "u32", T = "u32", scale = "f32", causal = "u32" }]
---*/
// Two passes over the keys: log-sum-exp first, then weights exp(z - lse) with the scores computed again.
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    uint32_t H;
    uint32_t S;
    uint32_t D;
    uint32_t G;
    uint32_t T;
    float scale;
    uint32_t causal;
} scalars;

static float score(const float *q, const float *k, uint32_t D, float scale)
{
    float a = 0, b = 0;
    for (uint32_t d = 0; d < D; d++)
        if (d & 1)
            b += q[d] * k[d];
        else
            a += q[d] * k[d];
    return (a + b) * scale;
}

void attention_lse_weights(const float *q, const float *k, const float *v, float *o, scalars s)
{
    for (size_t h = 0; h < s.H; h++) {
        const float *kh = k + h / (s.H / s.G) * s.T * s.D, *vh = v + h / (s.H / s.G) * s.T * s.D;
        for (size_t i = 0; i < s.S; i++) {
            const float *qi = q + (h * s.S + i) * s.D;
            float *out = o + (h * s.S + i) * s.D;
            size_t n = s.causal ? i + (s.T - s.S) + 1 : s.T;
            float m = -INFINITY, l = 0;
            for (size_t t = 0; t < n; t++) {
                float z = score(qi, kh + t * s.D, s.D, s.scale), up = fmaxf(m, z);
                l = l * expf(m - up) + expf(z - up);
                m = up;
            }
            const float lse = m + logf(l);
            for (size_t d = 0; d < s.D; d++)
                out[d] = 0;
            for (size_t t = 0; t < n; t++) {
                float weight = expf(score(qi, kh + t * s.D, s.D, s.scale) - lse);
                for (size_t d = 0; d < s.D; d++)
                    out[d] += weight * vh[t * s.D + d];
            }
        }
    }
}
