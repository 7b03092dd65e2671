/*--- ktwin
op      = "attention_paged"
compute = "f32"
args    = ["q", "k", "v", "table", "len", "o",
           { N = "u32", H = "u32", D = "u32", B = "u32", G = "u32", L = "u32", scale = "f32" }]
---*/
// Flash decoding a position at a time, query times scale * log2(e).
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    uint32_t N;
    uint32_t H;
    uint32_t D;
    uint32_t B;
    uint32_t G;
    uint32_t L;
    float scale;
} scalars;

void attention_paged_prescaled_exp2(const float *q, const float *k, const float *v, const uint32_t *table, const uint32_t *len, float *o, scalars s)
{
    float *qs = malloc(sizeof *qs * s.D);
    for (size_t n = 0; n < s.N; n++)
        for (size_t h = 0; h < s.H; h++) {
            const size_t g = h / (s.H / s.G);
            float *acc = o + (n * s.H + h) * s.D;
            for (size_t d = 0; d < s.D; d++) {
                qs[d] = q[(n * s.H + h) * s.D + d] * (s.scale * 1.4426950408889634f);
                acc[d] = 0;
            }
            float m = -INFINITY, l = 0;
            for (uint32_t t = 0; t < len[n]; t++) {
                size_t at = (((size_t)table[n * s.L + t / s.B] * s.B + t % s.B) * s.G + g) * s.D;
                float z = 0;
                for (size_t d = 0; d < s.D; d++)
                    z += qs[d] * k[at + d];
                if (z > m) {
                    float f = exp2f(m - z);
                    l *= f;
                    for (size_t d = 0; d < s.D; d++)
                        acc[d] *= f;
                    m = z;
                }
                float p = exp2f(z - m);
                l += p;
                for (size_t d = 0; d < s.D; d++)
                    acc[d] += p * v[at + d];
            }
            for (size_t d = 0; d < s.D; d++)
                acc[d] /= l;
        }
    free(qs);
}
