/*--- ktwin
op      = "adam"
compute = "f32"
args    = ["p", "g", "m", "v", { N = "u32", step = "u32", lr = "f32", beta1 = "f32", beta2 = "f32", eps = "f32" }]
---*/
// Means moved towards the new value, bias correction folded into step size as PyTorch does, corrections in double.
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

void adam_lerp_folded(float *p, const float *g, float *m, float *v, scalars s)
{
    const double c1 = 1.0 - pow(s.beta1, s.step), c2 = 1.0 - pow(s.beta2, s.step);
    const float step_size = (float)(s.lr / c1), root = (float)sqrt(c2);
    for (size_t n = 0; n < s.N; n++) {
        float grad = g[n];
        float mean = m[n] + (1.0f - s.beta1) * (grad - m[n]);
        float square = s.beta2 * v[n] + (1.0f - s.beta2) * grad * grad;
        float denom = sqrtf(square) / root + s.eps;
        m[n] = mean;
        v[n] = square;
        p[n] = p[n] - step_size * (mean / denom);
    }
}
