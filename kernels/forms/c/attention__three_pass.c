/*--- ktwin
op      = "attention"
compute = "f32"
args    = ["q", "k", "v", "o",
           { H = "u32", S = "u32", D = "u32", G = "u32", T = "u32", scale = "f32", causal = "u32" }]
---*/
// Scores of a query kept in memory, softmax, weighted sum of values.
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

void attention_three_pass(const float *q, const float *k, const float *v, float *o, scalars s)
{
    float *p = malloc(sizeof *p * s.T);
    for (size_t h = 0; h < s.H; h++) {
        const float *kh = k + h / (s.H / s.G) * s.T * s.D, *vh = v + h / (s.H / s.G) * s.T * s.D;
        for (size_t i = 0; i < s.S; i++) {
            const float *qi = q + (h * s.S + i) * s.D;
            float *out = o + (h * s.S + i) * s.D;
            size_t seen = s.causal ? i + (s.T - s.S) + 1 : s.T;
            float top = -INFINITY, total = 0;
            for (size_t t = 0; t < seen; t++) {
                float z = 0;
                for (size_t d = 0; d < s.D; d++)
                    z += qi[d] * kh[t * s.D + d];
                p[t] = z * s.scale;
                top = fmaxf(top, p[t]);
            }
            for (size_t t = 0; t < seen; t++) {
                p[t] = expf(p[t] - top);
                total += p[t];
            }
            for (size_t d = 0; d < s.D; d++) {
                float sum = 0;
                for (size_t t = 0; t < seen; t++)
                    sum += p[t] * vh[t * s.D + d];
                out[d] = sum / total;
            }
        }
    }
    free(p);
}
