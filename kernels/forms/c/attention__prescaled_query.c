/*--- ktwin
op      = "attention"
compute = "f32"
args    = ["q", "k", "v", "o",
           { H = "u32", S = "u32", D = "u32", G = "u32", T = "u32", scale = "f32", causal = "u32" }]
---*/
// The query times scale first, four accumulators in the dot product.
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

static float dot4(const float *a, const float *b, uint32_t n)
{
    float s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    uint32_t i = 0;
    for (; i + 3 < n; i += 4) {
        s0 += a[i] * b[i];
        s1 += a[i + 1] * b[i + 1];
        s2 += a[i + 2] * b[i + 2];
        s3 += a[i + 3] * b[i + 3];
    }
    for (; i < n; i++)
        s0 += a[i] * b[i];
    return (s0 + s1) + (s2 + s3);
}

void attention_prescaled_query(const float *q, const float *k, const float *v, float *o, scalars s)
{
    float *scaled = malloc(sizeof(float) * s.D), *p = malloc(sizeof(float) * s.T);
    for (size_t h = 0; h < s.H; h++)
        for (size_t i = 0; i < s.S; i++) {
            size_t kv = h / (s.H / s.G) * s.T * s.D, at = (h * s.S + i) * s.D;
            size_t n = s.causal ? i + (s.T - s.S) + 1 : s.T;
            for (size_t d = 0; d < s.D; d++)
                scaled[d] = q[at + d] * s.scale;
            float top = -INFINITY, total = 0;
            for (size_t t = 0; t < n; t++) {
                p[t] = dot4(scaled, k + kv + t * s.D, s.D);
                top = p[t] > top ? p[t] : top;
            }
            for (size_t t = 0; t < n; t++) {
                p[t] = expf(p[t] - top);
                total += p[t];
            }
            const float inv = 1.0f / total;
            for (size_t d = 0; d < s.D; d++)
                o[at + d] = 0;
            for (size_t t = 0; t < n; t++)
                for (size_t d = 0; d < s.D; d++)
                    o[at + d] += p[t] * inv * v[kv + t * s.D + d];
        }
    free(scaled);
    free(p);
}
