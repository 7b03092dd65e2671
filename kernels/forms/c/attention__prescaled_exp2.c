/*--- ktwin
op      = "attention"
compute = "f32"
args    = ["q", "k", "v", "o",
           { H = "u32", S = "u32", D = "u32", G = "u32", T = "u32", scale = "f32", causal = "u32" }]
---*/
// The query times scale * log2(e) beforehand, online softmax in powers of two.
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

void attention_prescaled_exp2(const float *q, const float *k, const float *v, float *o, scalars s)
{
    const float factor = s.scale * 1.4426950408889634f;
    float *qs = malloc(2 * sizeof(float) * s.D), *acc = qs + s.D;
    for (size_t h = 0; h < s.H; h++) {
        size_t base = h / (s.H / s.G) * s.T * s.D;
        for (size_t i = 0; i < s.S; i++) {
            size_t at = (h * s.S + i) * s.D, seen = s.causal ? s.T - s.S + i + 1 : s.T;
            for (size_t d = 0; d < s.D; d++) {
                qs[d] = q[at + d] * factor;
                acc[d] = 0;
            }
            float m = -INFINITY, l = 0;
            for (size_t t = 0; t < seen; t++) {
                float z = 0;
                for (size_t d = 0; d < s.D; d++)
                    z += qs[d] * k[base + t * s.D + d];
                float up = fmaxf(m, z), shrink = exp2f(m - up), p = exp2f(z - up);
                l = l * shrink + p;
                for (size_t d = 0; d < s.D; d++)
                    acc[d] = acc[d] * shrink + p * v[base + t * s.D + d];
                m = up;
            }
            float inv = 1.0f / l;
            for (size_t d = 0; d < s.D; d++)
                o[at + d] = acc[d] * inv;
        }
    }
    free(qs);
}
