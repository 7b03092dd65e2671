/*--- ktwin
op      = "batchnorm"
compute = "f32"
args    = ["x", "w", "b", "mu", "var", "y", { N = "u32", C = "u32", L = "u32", eps = "f32" }]
---*/
// The four statistics of a channel folded into one factor and one shift.
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

void batchnorm_folded(const float *x, const float *w, const float *b, const float *mu, const float *var, float *y, scalars s)
{
    for (size_t n = 0; n < s.N; n++)
        for (size_t c = 0; c < s.C; c++) {
            const float factor = w[c] / sqrtf(var[c] + s.eps);
            const float shift = b[c] - mu[c] * factor;
            const float *in = x + (n * s.C + c) * s.L;
            float *out = y + (n * s.C + c) * s.L;
            for (size_t l = 0; l < s.L; l++)
                out[l] = in[l] * factor + shift;
        }
}
