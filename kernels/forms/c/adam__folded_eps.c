/*--- ktwin
op      = "adam"
compute = "f32"
args    = ["p", "g", "m", "v", { N = "u32", step = "u32", lr = "f32", beta1 = "f32", beta2 = "f32", eps = "f32" }]
---*/
// Alpha = lr * sqrt(1 - b2^t) / (1 - b1^t) and eps * sqrt(1 - b2^t), the form at the end of the paper's section 2.
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    uint32_t N;
    uint32_t step;
    float lr;
    float beta1;
    float beta2;
    float eps;
} scalars;

void adam_folded_eps(float *p, const float *g, float *m, float *v, scalars s)
{
    const float root = sqrtf(-expm1f((float)s.step * logf(s.beta2))), alpha = s.lr * root / -expm1f((float)s.step * logf(s.beta1));
    const float eps = s.eps * root;
    for (uint32_t n = 0; n < s.N; n++) {
        const float d = g[n];
        m[n] = fmaf(s.beta1, m[n], (1.0f - s.beta1) * d);
        v[n] = fmaf(s.beta2, v[n], (1.0f - s.beta2) * (d * d));
        p[n] -= alpha * m[n] / (sqrtf(v[n]) + eps);
    }
}
