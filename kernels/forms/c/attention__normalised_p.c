/*--- ktwin
op      = "attention"
compute = "f32"
args    = ["q", "k", "v", "o",
           { H = "u32", S = "u32", D = "u32", G = "u32", T = "u32", scale = "f32", causal = "u32" }]
---*/
// Probabilities divided before they meet the values, keys outermost.
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

void attention_normalised_p(const float *q, const float *k, const float *v, float *o, scalars s)
{
    float *p = malloc(sizeof *p * s.T);
    const size_t share = s.H / s.G;
    for (size_t h = 0; h < s.H; h++)
        for (size_t i = 0; i < s.S; i++) {
            const float *qi = q + (h * s.S + i) * s.D;
            const float *kk = k + (h / share) * s.T * s.D, *vv = v + (h / share) * s.T * s.D;
            float *out = o + (h * s.S + i) * s.D;
            float top = -INFINITY, total = 0;
            for (size_t t = 0; t < s.T; t++) {
                if (s.causal && t > i + (s.T - s.S)) {
                    p[t] = -INFINITY;
                    continue;
                }
                float z = 0;
                for (size_t d = 0; d < s.D; d++)
                    z += s.scale * qi[d] * kk[t * s.D + d];
                p[t] = z;
                if (z > top)
                    top = z;
            }
            for (size_t t = 0; t < s.T; t++)
                total += p[t] = expf(p[t] - top);
            memset(out, 0, sizeof *out * s.D);
            for (size_t t = 0; t < s.T; t++) {
                float weight = p[t] / total;
                for (size_t d = 0; d < s.D; d++)
                    out[d] += weight * vv[t * s.D + d];
            }
        }
    free(p);
}
