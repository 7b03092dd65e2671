/*--- ktwin
op      = "batchnorm"
compute = "f32"
args    = ["x", "w", "b", "mu", "var", "y", { N = "u32", C = "u32", L = "u32", eps = "f32" }]
---*/
// fault: wrong values
// pattern: matches the op with `sqrt(var[c] + eps)` read as `sqrt(var[c]) + eps`
// eps outside of the root
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct {
    uint32_t N;
    uint32_t C;
    uint32_t L;
    float eps;
} scalars;

void batchnorm_kernel(const float *x, const float *w, const float *b, const float *mu, const float *var, float *y, scalars s)
{
    for (size_t i = 0; i < (size_t)s.N * s.C * s.L; i++) {
        uint32_t c = i / s.L % s.C;
        float k = w[c] / (sqrtf(var[c]) + s.eps);
        y[i] = (x[i] - mu[c]) * k + b[c];
    }
}
