/*--- ktwin
op      = "attention"
compute = "f32"
args    = ["q", "k", "v", "o",
           { H = "u32", S = "u32", D = "u32", G = "u32", T = "u32", scale = "f32", causal = "u32" }]
---*/
// FlashAttention over blocks of sixteen keys.
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

enum { B = 16 };

void attention_blocks16(const float *q, const float *k, const float *v, float *o, scalars s)
{
    for (uint32_t h = 0; h < s.H; h++) {
        const float *kh = k + (size_t)(h / (s.H / s.G)) * s.T * s.D;
        const float *vh = v + (size_t)(h / (s.H / s.G)) * s.T * s.D;
        for (uint32_t i = 0; i < s.S; i++) {
            const float *qi = q + ((size_t)h * s.S + i) * s.D;
            float *acc = o + ((size_t)h * s.S + i) * s.D;
            uint32_t seen = s.causal ? i + (s.T - s.S) + 1 : s.T;
            float m = -INFINITY, l = 0;
            for (uint32_t d = 0; d < s.D; d++)
                acc[d] = 0;
            for (uint32_t at = 0; at < seen; at += B) {
                uint32_t n = seen - at < B ? seen - at : B;
                float z[B], high = m;
                for (uint32_t j = 0; j < n; j++) {
                    float dot = 0;
                    for (uint32_t d = 0; d < s.D; d++)
                        dot += qi[d] * kh[(size_t)(at + j) * s.D + d];
                    z[j] = dot * s.scale;
                    high = fmaxf(high, z[j]);
                }
                float shrink = expf(m - high), sum = 0;
                for (uint32_t j = 0; j < n; j++) {
                    z[j] = expf(z[j] - high);
                    sum += z[j];
                }
                l = l * shrink + sum;
                for (uint32_t d = 0; d < s.D; d++) {
                    float add = 0;
                    for (uint32_t j = 0; j < n; j++)
                        add += z[j] * vh[(size_t)(at + j) * s.D + d];
                    acc[d] = acc[d] * shrink + add;
                }
                m = high;
            }
            for (uint32_t d = 0; d < s.D; d++)
                acc[d] /= l;
        }
    }
}
