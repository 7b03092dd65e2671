/*--- ktwin
op      = "attention_paged"
compute = "f32"
args    = ["q", "k", "v", "table", "len", "o",
           { N = "u32", H = "u32", D = "u32", B = "u32", G = "u32", L = "u32", scale = "f32" }]
---*/
// Online softmax, rescaled once a page.
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

void attention_paged_flash_pages(const float *q, const float *k, const float *v, const uint32_t *table, const uint32_t *len, float *o, scalars s)
{
    float *z = malloc(sizeof *z * s.B);
    for (size_t n = 0; n < s.N; n++)
        for (size_t h = 0; h < s.H; h++) {
            const size_t g = h / (s.H / s.G), stride = (size_t)s.G * s.D;
            const float *qi = q + (n * s.H + h) * s.D;
            float *acc = o + (n * s.H + h) * s.D;
            float m = -INFINITY, l = 0;
            memset(acc, 0, sizeof *acc * s.D);
            for (uint32_t page = 0; page * s.B < len[n]; page++) {
                uint32_t left = len[n] - page * s.B, here = left < s.B ? left : s.B;
                size_t at = ((size_t)table[n * s.L + page] * s.B * s.G + g) * s.D;
                float top = m;
                for (uint32_t j = 0; j < here; j++) {
                    z[j] = 0;
                    for (size_t d = 0; d < s.D; d++)
                        z[j] += qi[d] * k[at + j * stride + d];
                    z[j] *= s.scale;
                    if (z[j] > top)
                        top = z[j];
                }
                float shrink = expf(m - top);
                l *= shrink;
                for (size_t d = 0; d < s.D; d++)
                    acc[d] *= shrink;
                for (uint32_t j = 0; j < here; j++) {
                    float p = expf(z[j] - top);
                    l += p;
                    for (size_t d = 0; d < s.D; d++)
                        acc[d] += p * v[at + j * stride + d];
                }
                m = top;
            }
            const float inv = 1.0f / l;
            for (size_t d = 0; d < s.D; d++)
                acc[d] *= inv;
        }
    free(z);
}
