/*--- ktwin
op      = "adam"
compute = "f32"
args    = ["p", "g", "m", "v", { N = "u32", step = "i32", lr = "f32", beta1 = "f32", beta2 = "f32", eps = "f32" }]
---*/
// fault: wrong values
// pattern: matches the op with `sqrt(v1[n] / (1 - beta2 ^ step)) + eps` read as `sqrt(v1[n] / (1 - beta2 ^ step) + eps)`
// eps inside the root
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
} scalars;

void adam_kernel(float *p, const float *g, float *m, float *v, scalars s)
{
    float c1 = 1 - powf(s.beta1, (float)s.step), c2 = 1 - powf(s.beta2, (float)s.step);
    for (uint32_t n = 0; n < s.N; n++) {
        m[n] = s.beta1 * m[n] + (1 - s.beta1) * g[n];
        v[n] = s.beta2 * v[n] + (1 - s.beta2) * g[n] * g[n];
        p[n] -= s.lr * (m[n] / c1) / sqrtf(v[n] / c2 + s.eps);
    }
}
