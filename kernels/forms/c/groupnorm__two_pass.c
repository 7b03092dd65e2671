/*--- ktwin
op      = "groupnorm"
compute = "f32"
args    = ["x", "w", "b", "y", { N = "u32", C = "u32", L = "u32", groups = "u32", eps = "f32" }]
---*/
// Each group of an image is one contiguous run of numbers.
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    uint32_t N;
    uint32_t C;
    uint32_t L;
    uint32_t groups;
    float eps;
} scalars;

void groupnorm_two_pass(const float *x, const float *w, const float *b, float *y, scalars s)
{
    const size_t per = s.C / s.groups, run = per * s.L;
    for (size_t n = 0; n < s.N; n++)
        for (size_t g = 0; g < s.groups; g++) {
            const float *in = x + (n * s.C + g * per) * s.L;
            float *out = y + (n * s.C + g * per) * s.L;
            float mu = 0, var = 0;
            for (size_t i = 0; i < run; i++)
                mu += in[i];
            mu /= (float)run;
            for (size_t i = 0; i < run; i++)
                var += (in[i] - mu) * (in[i] - mu);
            float rstd = 1.0f / sqrtf(var / (float)run + s.eps);
            for (size_t j = 0; j < per; j++)
                for (size_t l = 0; l < s.L; l++)
                    out[j * s.L + l] = (in[j * s.L + l] - mu) * rstd * w[g * per + j] + b[g * per + j];
        }
}
