/*--- ktwin
op      = "adam"
compute = "f32"
args    = ["p", "g", "m", "v", { N = "u32", step = "u32", lr = "f32", beta1 = "f32", beta2 = "f32", eps = "f32" }]
---*/
// Both means, bias corrections by powf, one division.
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

void adam_plain(float *p, const float *g, float *m, float *v, scalars s)
{
    const float c1 = 1.0f - powf(s.beta1, (float)s.step), c2 = 1.0f - powf(s.beta2, (float)s.step);
    for (size_t n = 0; n < s.N; n++) {
        m[n] = s.beta1 * m[n] + (1.0f - s.beta1) * g[n];
        v[n] = s.beta2 * v[n] + (1.0f - s.beta2) * g[n] * g[n];
        float mh = m[n] / c1, vh = v[n] / c2;
        p[n] -= s.lr * mh / (sqrtf(vh) + s.eps);
    }
}
