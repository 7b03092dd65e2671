/*--- ktwin
op   = "batchnorm"
args = ["x", "w", "b", "mu", "var", "y", { N = "u32", C = "u32", L = "u32", eps = "f32" }]
---*/
// fault: out of bounds
// pattern: the rows of the output are written C elements apart
// Channels are taken to be C apart: right only where C == L.
#include <math.h>
#include <stdint.h>

typedef struct {
    uint32_t N, C, L;
    float eps;
} sizes_t;

void batchnorm(const float *x, const float *w, const float *b, const float *mu, const float *var, float *y,
               sizes_t s)
{
    for (uint32_t n = 0; n < s.N; n++)
        for (uint32_t c = 0; c < s.C; c++)
            for (uint32_t l = 0; l < s.L; l++) {
                uint32_t at = (n * s.C + c) * s.C + l;
                y[at] = (x[at] - mu[c]) / sqrtf(var[c] + s.eps) * w[c] + b[c];
            }
}
