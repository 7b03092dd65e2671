/*--- ktwin
op      = "attention_kv"
compute = "f32"
args    = ["q", "k", "v", "o",
           { H = "u32", S = "u32", D = "u32", G = "u32", T = "u32", len = "u32", scale = "f32", causal = "u32" }]
---*/
// Scores kept in memory, only the filled part of the cache read.
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
    uint32_t len;
    float scale;
    uint32_t causal;
} scalars;

void attention_kv_three_pass(const float *q, const float *k, const float *v, float *o, scalars s)
{
    float *p = malloc(sizeof *p * s.len);
    for (size_t h = 0; h < s.H; h++) {
        const size_t base = h / (s.H / s.G) * s.T * s.D;
        for (size_t i = 0; i < s.S; i++) {
            const float *qi = q + (h * s.S + i) * s.D;
            size_t n = s.causal ? i + (s.len - s.S) + 1 : s.len;
            float top = -INFINITY, total = 0;
            for (size_t t = 0; t < n; t++) {
                float z = 0;
                for (size_t d = 0; d < s.D; d++)
                    z += qi[d] * k[base + t * s.D + d];
                p[t] = z * s.scale;
                top = fmaxf(top, p[t]);
            }
            for (size_t t = 0; t < n; t++)
                total += p[t] = expf(p[t] - top);
            for (size_t d = 0; d < s.D; d++) {
                float sum = 0;
                for (size_t t = 0; t < n; t++)
                    sum += p[t] * v[base + t * s.D + d];
                o[(h * s.S + i) * s.D + d] = sum / total;
            }
        }
    }
    free(p);
}
