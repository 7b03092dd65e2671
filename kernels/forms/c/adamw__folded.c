/*--- ktwin
op      = "adamw"
compute = "f32"
args    = ["p", "g", "m", "v",
           { N = "u32", step = "u32", lr = "f32", beta1 = "f32", beta2 = "f32", eps = "f32", decay = "f32" }]
---*/
// Bias correction in the step size, decay with its own factor.
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
    float decay;
} scalars;

void adamw_folded(float *p, const float *g, float *m, float *v, scalars s)
{
    const double bias1 = 1.0 - pow((double)s.beta1, (double)s.step), bias2 = 1.0 - pow((double)s.beta2, (double)s.step);
    const float rate = (float)((double)s.lr / bias1), inv_root = (float)(1.0 / sqrt(bias2)), shrink = s.lr * s.decay;
    for (size_t n = 0; n < s.N; n++) {
        float m1 = s.beta1 * m[n] + (1 - s.beta1) * g[n], v1 = s.beta2 * v[n] + (1 - s.beta2) * g[n] * g[n];
        p[n] = p[n] - shrink * p[n] - rate * m1 / (sqrtf(v1) * inv_root + s.eps);
        m[n] = m1;
        v[n] = v1;
    }
}
