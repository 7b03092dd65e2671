/*--- ktwin
op      = "attention_backward"
compute = "f32"
args    = ["q", "k", "v", "dout", "dq", "dk", "dv",
           { H = "u32", S = "u32", D = "u32", G = "u32", T = "u32", scale = "f32", causal = "u32" }]
---*/
// A forward pass for log-sum-exp and delta = rowsum(dout * out), then p again from the log-sum-exp.
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

void attention_backward_flash(const float *q, const float *k, const float *v, const float *dout, float *dq, float *dk, float *dv, scalars s)
{
    const size_t share = s.H / s.G, rows = (size_t)s.H * s.S;
    float *lse = malloc(sizeof(float) * (2 * rows + s.D)), *delta = lse + rows, *out = delta + rows;
    for (size_t h = 0; h < s.H; h++) {
        const float *kh = k + h / share * s.T * s.D, *vh = v + h / share * s.T * s.D;
        for (size_t i = 0; i < s.S; i++) {
            const float *qi = q + (h * s.S + i) * s.D, *gi = dout + (h * s.S + i) * s.D;
            size_t n = s.causal ? i + (s.T - s.S) + 1 : s.T;
            float m = -INFINITY, l = 0, sum = 0;
            for (size_t d = 0; d < s.D; d++)
                out[d] = 0;
            for (size_t t = 0; t < n; t++) {
                float z = 0;
                for (size_t d = 0; d < s.D; d++)
                    z += qi[d] * kh[t * s.D + d];
                z *= s.scale;
                float up = fmaxf(m, z), f = expf(m - up), p = expf(z - up);
                l = l * f + p;
                for (size_t d = 0; d < s.D; d++)
                    out[d] = out[d] * f + p * vh[t * s.D + d];
                m = up;
            }
            for (size_t d = 0; d < s.D; d++)
                sum += gi[d] * (out[d] / l);
            lse[h * s.S + i] = m + logf(l);
            delta[h * s.S + i] = sum;
        }
    }
    for (size_t j = 0; j < rows * s.D; j++)
        dq[j] = 0;
    for (size_t g = 0; g < s.G; g++)
        for (size_t t = 0; t < s.T; t++) {
            const float *kt = k + (g * s.T + t) * s.D, *vt = v + (g * s.T + t) * s.D;
            float *dkt = dk + (g * s.T + t) * s.D, *dvt = dv + (g * s.T + t) * s.D;
            for (size_t d = 0; d < s.D; d++)
                dkt[d] = dvt[d] = 0;
            for (size_t h = g * share; h < (g + 1) * share; h++)
                for (size_t i = 0; i < s.S; i++) {
                    if (s.causal && t > i + (s.T - s.S))
                        continue;
                    size_t row = h * s.S + i;
                    const float *qi = q + row * s.D, *gi = dout + row * s.D;
                    float z = 0, dp = 0;
                    for (size_t d = 0; d < s.D; d++) {
                        z += qi[d] * kt[d];
                        dp += gi[d] * vt[d];
                    }
                    float p = expf(z * s.scale - lse[row]);
                    float dz = p * (dp - delta[row]);
                    for (size_t d = 0; d < s.D; d++) {
                        dvt[d] += p * gi[d];
                        dkt[d] += dz * qi[d];
                        dq[row * s.D + d] += dz * kt[d];
                    }
                }
            for (size_t d = 0; d < s.D; d++)
                dkt[d] *= s.scale;
        }
    for (size_t j = 0; j < rows * s.D; j++)
        dq[j] *= s.scale;
    free(lse);
}
