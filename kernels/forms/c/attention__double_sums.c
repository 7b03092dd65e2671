/*--- ktwin
op      = "attention"
compute = "f32"
args    = ["q", "k", "v", "o",
           { H = "u32", S = "u32", D = "u32", G = "u32", T = "u32", scale = "f32", causal = "u32" }]
---*/
// Scores and weighted sums in double, exponentials in float.
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

void attention_double_sums(const float *q, const float *k, const float *v, float *o, scalars s)
{
    float *p = malloc(sizeof *p * s.T);
    for (size_t h = 0; h < s.H; h++)
        for (size_t i = 0; i < s.S; i++) {
            size_t kv = h / (s.H / s.G) * s.T * s.D, at = (h * s.S + i) * s.D;
            size_t n = s.causal ? i + (s.T - s.S) + 1 : s.T;
            float top = -INFINITY;
            double total = 0;
            for (size_t t = 0; t < n; t++) {
                double z = 0;
                for (size_t d = 0; d < s.D; d++)
                    z += (double)q[at + d] * k[kv + t * s.D + d];
                p[t] = (float)(z * s.scale);
                top = fmaxf(top, p[t]);
            }
            for (size_t t = 0; t < n; t++) {
                p[t] = expf(p[t] - top);
                total += p[t];
            }
            for (size_t d = 0; d < s.D; d++) {
                double sum = 0;
                for (size_t t = 0; t < n; t++)
                    sum += (double)p[t] * v[kv + t * s.D + d];
                o[at + d] = (float)(sum / total);
            }
        }
    free(p);
}
