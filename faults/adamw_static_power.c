/*--- ktwin
op      = "adamw"
compute = "f32"
args    = ["p", "g", "m", "v", { N = "u32", step = "i32", lr = "f32", beta1 = "f32", beta2 = "f32", eps = "f32", decay = "f32" }]
---*/
// fault: not repeatable
// pattern: none
// the powers of the betas are kept between calls and count calls, not steps
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct {
    uint32_t N;
    int32_t step;
    float lr;
    float beta1;
    float beta2;
    float eps;
    float decay;
} scalars;

void adamw_kernel(float *p, const float *g, float *m, float *v, scalars s)
{
    static float power1 = 1, power2 = 1;
    if (s.step == 1)
        power1 = power2 = 1;
    power1 *= s.beta1;
    power2 *= s.beta2;
    float c1 = 1 - power1, c2 = 1 - power2;
    for (uint32_t n = 0; n < s.N; n++) {
        float d = g[n];
        m[n] = s.beta1 * m[n] + (1 - s.beta1) * d;
        v[n] = s.beta2 * v[n] + (1 - s.beta2) * d * d;
        float step = s.lr * (m[n] / c1) / (sqrtf(v[n] / c2) + s.eps);
        p[n] = p[n] - s.lr * s.decay * p[n] - step;
    }
}
