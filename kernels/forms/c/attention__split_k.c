/*--- ktwin
op      = "attention"
compute = "f32"
args    = ["q", "k", "v", "o",
           { H = "u32", S = "u32", D = "u32", G = "u32", T = "u32", scale = "f32", causal = "u32" }]
---*/
// Keys in four parts, each with its own maximum, sum and accumulator, merged at the end.
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

static void part(const float *q, const float *k, const float *v, size_t from, size_t to, size_t D, float scale,
                 float *m, float *l, float *acc)
{
    *m = -INFINITY;
    *l = 0;
    for (size_t d = 0; d < D; d++)
        acc[d] = 0;
    for (size_t t = from; t < to; t++) {
        float z = 0;
        for (size_t d = 0; d < D; d++)
            z += q[d] * k[t * D + d];
        z *= scale;
        if (z > *m) {
            float shrink = expf(*m - z);
            *l *= shrink;
            for (size_t d = 0; d < D; d++)
                acc[d] *= shrink;
            *m = z;
        }
        float p = expf(z - *m);
        *l += p;
        for (size_t d = 0; d < D; d++)
            acc[d] += p * v[t * D + d];
    }
}

void attention_split_k(const float *q, const float *k, const float *v, float *o, scalars s)
{
    float *acc = malloc(4 * sizeof *acc * s.D);
    for (size_t h = 0; h < s.H; h++) {
        size_t base = h / (s.H / s.G) * s.T * s.D;
        for (size_t i = 0; i < s.S; i++) {
            size_t at = (h * s.S + i) * s.D, seen = s.causal ? i + (s.T - s.S) + 1 : s.T, step = (seen + 3) / 4;
            float m[4], l[4], top = -INFINITY, total = 0, weight[4];
            for (size_t j = 0; j < 4; j++) {
                size_t from = j * step < seen ? j * step : seen, to = from + step < seen ? from + step : seen;
                part(q + at, k + base, v + base, from, to, s.D, s.scale, &m[j], &l[j], acc + j * s.D);
                top = fmaxf(top, m[j]);
            }
            for (size_t j = 0; j < 4; j++) {
                weight[j] = expf(m[j] - top);
                total += weight[j] * l[j];
            }
            for (size_t d = 0; d < s.D; d++) {
                float sum = 0;
                for (size_t j = 0; j < 4; j++)
                    sum += weight[j] * acc[j * s.D + d];
                o[at + d] = sum / total;
            }
        }
    }
    free(acc);
}
