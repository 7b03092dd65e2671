/*--- ktwin
op      = "attention_backward"
compute = "f32"
args    = ["q", "k", "v", "dout", "dq", "dk", "dv",
           { H = "u32", S = "u32", D = "u32", G = "u32", T = "u32", scale = "f32", causal = "u32" }]
---*/
// Probabilities of a query row, then gradients from p and dp.
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

void attention_backward_from_p(const float *q, const float *k, const float *v, const float *dout, float *dq, float *dk, float *dv, scalars s)
{
    const size_t share = s.H / s.G;
    float *p = malloc(2 * sizeof *p * s.T), *dp = p + s.T;
    memset(dq, 0, sizeof *dq * s.H * s.S * s.D);
    memset(dk, 0, sizeof *dk * s.G * s.T * s.D);
    memset(dv, 0, sizeof *dv * s.G * s.T * s.D);
    for (size_t h = 0; h < s.H; h++) {
        size_t base = h / share * s.T * s.D;
        for (size_t i = 0; i < s.S; i++) {
            size_t at = (h * s.S + i) * s.D, n = s.causal ? i + (s.T - s.S) + 1 : s.T;
            float top = -INFINITY, total = 0, along = 0;
            for (size_t t = 0; t < n; t++) {
                float z = 0;
                for (size_t d = 0; d < s.D; d++)
                    z += q[at + d] * k[base + t * s.D + d];
                p[t] = z * s.scale;
                top = fmaxf(top, p[t]);
            }
            for (size_t t = 0; t < n; t++)
                total += p[t] = expf(p[t] - top);
            for (size_t t = 0; t < n; t++) {
                p[t] /= total;
                dp[t] = 0;
                for (size_t d = 0; d < s.D; d++)
                    dp[t] += dout[at + d] * v[base + t * s.D + d];
                along += p[t] * dp[t];
            }
            for (size_t t = 0; t < n; t++) {
                float dz = p[t] * (dp[t] - along) * s.scale;
                for (size_t d = 0; d < s.D; d++) {
                    dq[at + d] += dz * k[base + t * s.D + d];
                    dk[base + t * s.D + d] += dz * q[at + d];
                    dv[base + t * s.D + d] += p[t] * dout[at + d];
                }
            }
        }
    }
    free(p);
}
