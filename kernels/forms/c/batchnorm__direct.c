/*--- ktwin
op      = "batchnorm"
compute = "f32"
args    = ["x", "w", "b", "mu", "var", "y", { N = "u32", C = "u32", L = "u32", eps = "f32" }]
---*/
// Straight from the formula, the root taken once for each channel.
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    uint32_t N;
    uint32_t C;
    uint32_t L;
    float eps;
} scalars;

void batchnorm_direct(const float *x, const float *w, const float *b, const float *mu, const float *var, float *y, scalars s)
{
    for (size_t c = 0; c < s.C; c++) {
        float sd = sqrtf(var[c] + s.eps);
        for (size_t n = 0; n < s.N; n++)
            for (size_t l = 0; l < s.L; l++) {
                size_t i = (n * s.C + c) * s.L + l;
                y[i] = (x[i] - mu[c]) / sd * w[c] + b[c];
            }
    }
}
