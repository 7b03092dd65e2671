/*--- ktwin
op      = "attention_backward"
compute = "f32"
args    = ["q", "k", "v", "dout", "dq", "dk", "dv",
           { H = "u32", S = "u32", D = "u32", G = "u32", T = "u32", scale = "f32", causal = "u32" }]
---*/
// P dp - p along, scale in the query and the key, gradients of values in a loop of their own.
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

void attention_backward_expanded(const float *q, const float *k, const float *v, const float *dout, float *dq, float *dk, float *dv, scalars s)
{
    const size_t J = s.H / s.G, SD = (size_t)s.S * s.D, TD = (size_t)s.T * s.D;
    float *p = malloc(sizeof *p * 2 * s.S * s.T), *dz = p + (size_t)s.S * s.T;
    memset(dk, 0, sizeof *dk * s.G * TD);
    memset(dv, 0, sizeof *dv * s.G * TD);
    for (size_t h = 0; h < s.H; h++) {
        const float *qh = q + h * SD, *gh = dout + h * SD, *kh = k + h / J * TD, *vh = v + h / J * TD;
        for (size_t i = 0; i < s.S; i++) {
            float *pi = p + i * s.T, *zi = dz + i * s.T, top = -INFINITY, sum = 0, along = 0;
            for (size_t t = 0; t < s.T; t++) {
                float z = 0, g = 0;
                for (size_t d = 0; d < s.D; d++) {
                    z += (s.scale * qh[i * s.D + d]) * kh[t * s.D + d];
                    g += gh[i * s.D + d] * vh[t * s.D + d];
                }
                pi[t] = s.causal && t > i + (s.T - s.S) ? -INFINITY : z;
                zi[t] = g;
                top = fmaxf(top, pi[t]);
            }
            for (size_t t = 0; t < s.T; t++) {
                pi[t] = expf(pi[t] - top);
                sum += pi[t];
            }
            const float inv = 1.0f / sum;
            for (size_t t = 0; t < s.T; t++) {
                pi[t] *= inv;
                zi[t] *= pi[t];
                along += zi[t];
            }
            for (size_t t = 0; t < s.T; t++)
                zi[t] = s.scale * (zi[t] - pi[t] * along);
            for (size_t d = 0; d < s.D; d++) {
                float g = 0;
                for (size_t t = 0; t < s.T; t++)
                    g += zi[t] * kh[t * s.D + d];
                dq[h * SD + i * s.D + d] = g;
            }
        }
        for (size_t t = 0; t < s.T; t++)
            for (size_t d = 0; d < s.D; d++) {
                float gk = 0, gv = 0;
                for (size_t i = 0; i < s.S; i++) {
                    gk += dz[i * s.T + t] * qh[i * s.D + d];
                    gv += p[i * s.T + t] * gh[i * s.D + d];
                }
                dk[h / J * TD + t * s.D + d] += gk;
                dv[h / J * TD + t * s.D + d] += gv;
            }
    }
    free(p);
}
