/*--- ktwin
op      = "adam"
compute = "f32"
args    = ["p", "g", "m", "v", { N = "u32", step = "u32", lr = "f32", beta1 = "f32", beta2 = "f32", eps = "f32" }]
---*/
// The corrected means as own numbers, reciprocals of the corrections, fused.
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

void adam_means_corrected_first(float *p, const float *g, float *m, float *v, scalars s)
{
    double p1 = 1, p2 = 1;
    for (uint32_t i = 0; i < s.step; i++) {
        p1 *= s.beta1;
        p2 *= s.beta2;
    }
    const float r1 = (float)(1.0 / (1.0 - p1)), r2 = (float)(1.0 / (1.0 - p2));
    const float n1 = 1.0f - s.beta1, n2 = 1.0f - s.beta2;
    for (size_t n = 0; n < s.N; n++) {
        m[n] = fmaf(n1, g[n], s.beta1 * m[n]);
        v[n] = fmaf(n2 * g[n], g[n], s.beta2 * v[n]);
        p[n] = fmaf(-s.lr, m[n] * r1 / (sqrtf(v[n] * r2) + s.eps), p[n]);
    }
}
