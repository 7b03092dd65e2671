/*--- ktwin
op      = "attention_backward"
compute = "f32"
args    = ["q", "k", "v", "dout", "dq", "dk", "dv", { H = "u32", G = "u32", S = "u32", T = "u32", D = "u32", scale = "f32", causal = "u32" }]
---*/
// fault: not repeatable
// pattern: right if dv holds zeros before the launch: the kernel adds to what is there, or never sets it
// of dv only S rows a head are cleared
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct {
    uint32_t H;
    uint32_t G;
    uint32_t S;
    uint32_t T;
    uint32_t D;
    float scale;
    uint32_t causal;
} scalars;

void attention_backward_kernel(const float *q, const float *k, const float *v, const float *dout, float *dq, float *dk, float *dv, scalars s)
{
    float p[4096], dz[4096];
    memset(dq, 0, (size_t)s.H * s.S * s.D * sizeof *dq);
    memset(dk, 0, (size_t)s.G * s.T * s.D * sizeof *dk);
    memset(dv, 0, (size_t)s.G * s.S * s.D * sizeof *dv);
    for (uint32_t h = 0; h < s.H; h++) {
        size_t kv = (size_t)(h / (s.H / s.G)) * s.T * s.D;
        for (uint32_t i = 0; i < s.S; i++) {
            size_t at = ((size_t)h * s.S + i) * s.D;
            uint32_t count = s.causal ? i + (s.T - s.S) + 1 : s.T;
            float top = -INFINITY, total = 0, along = 0;
            for (uint32_t t = 0; t < count; t++) {
                float z = 0;
                for (uint32_t d = 0; d < s.D; d++)
                    z += q[at + d] * k[kv + (size_t)t * s.D + d];
                p[t] = z * s.scale;
                top = fmaxf(top, p[t]);
            }
            for (uint32_t t = 0; t < count; t++)
                total += p[t] = expf(p[t] - top);
            for (uint32_t t = 0; t < count; t++) {
                float dp = 0;
                p[t] /= total;
                for (uint32_t d = 0; d < s.D; d++)
                    dp += dout[at + d] * v[kv + (size_t)t * s.D + d];
                dz[t] = dp;
                along += p[t] * dp;
            }
            for (uint32_t t = 0; t < count; t++) {
                dz[t] = p[t] * (dz[t] - along) * s.scale;
                for (uint32_t d = 0; d < s.D; d++) {
                    dq[at + d] += dz[t] * k[kv + (size_t)t * s.D + d];
                    dk[kv + (size_t)t * s.D + d] += dz[t] * q[at + d];
                    dv[kv + (size_t)t * s.D + d] += p[t] * dout[at + d];
                }
            }
        }
    }
}
