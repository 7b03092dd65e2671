/*--- ktwin
op      = "batchnorm"
compute = "f32"
args    = ["x", "w", "b", "mu", "var", "y", { N = "u32", C = "u32", L = "u32", eps = "f32" }]
---*/
// Centred first, times rstd * w.
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

void batchnorm_centred_rstd(const float *x, const float *w, const float *b, const float *mu, const float *var, float *y, scalars s)
{
    for (size_t n = 0; n < s.N; n++)
        for (size_t c = 0; c < s.C; c++) {
            float rstd = 1.0f / sqrtf(var[c] + s.eps), gain = rstd * w[c];
            for (size_t l = 0; l < s.L; l++, x++, y++)
                *y = fmaf(*x - mu[c], gain, b[c]);
        }
}
