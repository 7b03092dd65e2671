/*--- ktwin
op      = "adamw"
compute = "f32"
args    = ["p", "g", "m", "v",
           { N = "u32", step = "u32", lr = "f32", beta1 = "f32", beta2 = "f32", eps = "f32", decay = "f32" }]
---*/
// Step and decay added and taken off in one go, lerp for the mean.
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

static float power(float base, uint32_t n)
{
    double r = 1.0, b = base;
    for (; n; n >>= 1, b *= b)
        if (n & 1)
            r *= b;
    return (float)(1.0 - r);
}

void adamw_one_update(float *p, const float *g, float *m, float *v, scalars s)
{
    const float r1 = 1.0f / power(s.beta1, s.step), r2 = 1.0f / power(s.beta2, s.step);
    for (size_t n = 0; n < s.N; n++) {
        m[n] += (1.0f - s.beta1) * (g[n] - m[n]);
        v[n] = fmaf(s.beta2, v[n], (1.0f - s.beta2) * g[n] * g[n]);
        float update = m[n] * r1 / (sqrtf(v[n] * r2) + s.eps) + s.decay * p[n];
        p[n] -= s.lr * update;
    }
}
