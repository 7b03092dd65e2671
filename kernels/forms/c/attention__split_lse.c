/*--- ktwin
op      = "attention"
compute = "f32"
args    = ["q", "k", "v", "o",
           { H = "u32", S = "u32", D = "u32", G = "u32", T = "u32", scale = "f32", causal = "u32" }]
---*/
// Keys in blocks of 32; each gives a finished output and a log-sum-exp, merged two by two.
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

void attention_split_lse(const float *q, const float *k, const float *v, float *o, scalars s)
{
    float *part = malloc(sizeof *part * s.D);
    for (size_t h = 0; h < s.H; h++) {
        const float *kh = k + h / (s.H / s.G) * s.T * s.D, *vh = v + h / (s.H / s.G) * s.T * s.D;
        for (size_t i = 0; i < s.S; i++) {
            const float *qi = q + (h * s.S + i) * s.D;
            float *out = o + (h * s.S + i) * s.D;
            size_t seen = s.causal ? i + (s.T - s.S) + 1 : s.T;
            float lse = -INFINITY;
            for (size_t from = 0; from < seen; from += 32) {
                size_t n = seen - from < 32 ? seen - from : 32;
                float z[32], top = -INFINITY, sum = 0;
                for (size_t j = 0; j < n; j++) {
                    z[j] = 0;
                    for (size_t d = 0; d < s.D; d++)
                        z[j] += qi[d] * kh[(from + j) * s.D + d];
                    z[j] *= s.scale;
                    top = fmaxf(top, z[j]);
                }
                for (size_t j = 0; j < n; j++)
                    sum += z[j] = expf(z[j] - top);
                for (size_t d = 0; d < s.D; d++) {
                    part[d] = 0;
                    for (size_t j = 0; j < n; j++)
                        part[d] += z[j] * vh[(from + j) * s.D + d];
                    part[d] /= sum;
                }
                float mine = top + logf(sum);
                float high = fmaxf(lse, mine);
                float wa = expf(lse - high), wb = expf(mine - high), both = wa + wb;
                for (size_t d = 0; d < s.D; d++)
                    out[d] = from == 0 ? part[d] : (wa * out[d] + wb * part[d]) / both;
                lse = high + logf(both);
            }
        }
    }
    free(part);
}
