/*--- ktwin
op      = "attention_paged"
compute = "f32"
args    = ["q", "k", "v", "table", "len", "o",
           { N = "u32", H = "u32", D = "u32", B = "u32", G = "u32", L = "u32", scale = "f32" }]
---*/
// Scores kept in memory, position by position through the table.
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

void attention_paged_three_pass(const float *q, const float *k, const float *v, const uint32_t *table, const uint32_t *len, float *o, scalars s)
{
    float *p = malloc(sizeof *p * s.L * s.B);
    for (size_t n = 0; n < s.N; n++)
        for (size_t h = 0; h < s.H; h++) {
            const size_t g = h / (s.H / s.G);
            const float *qi = q + (n * s.H + h) * s.D;
            float top = -INFINITY, total = 0;
            for (size_t t = 0; t < len[n]; t++) {
                const float *kt = k + (((size_t)table[n * s.L + t / s.B] * s.B + t % s.B) * s.G + g) * s.D;
                float z = 0;
                for (size_t d = 0; d < s.D; d++)
                    z += qi[d] * kt[d];
                p[t] = s.scale * z;
                top = fmaxf(top, p[t]);
            }
            for (size_t t = 0; t < len[n]; t++) {
                p[t] = expf(p[t] - top);
                total += p[t];
            }
            float *out = o + (n * s.H + h) * s.D;
            for (size_t d = 0; d < s.D; d++)
                out[d] = 0;
            for (size_t t = 0; t < len[n]; t++) {
                const float *vt = v + (((size_t)table[n * s.L + t / s.B] * s.B + t % s.B) * s.G + g) * s.D;
                for (size_t d = 0; d < s.D; d++)
                    out[d] += p[t] * vt[d];
            }
            for (size_t d = 0; d < s.D; d++)
                out[d] /= total;
        }
    free(p);
}
