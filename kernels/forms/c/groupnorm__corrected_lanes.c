/*--- ktwin
op      = "groupnorm"
compute = "f32"
args    = ["x", "w", "b", "y", { N = "u32", C = "u32", L = "u32", groups = "u32", eps = "f32" }]
---*/
// Four lanes in both passes, variance corrected, shift kept apart from the mean.
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

void groupnorm_corrected_lanes(const float *x, const float *w, const float *b, float *y, scalars s)
{
    size_t per = s.C / s.groups, run = per * s.L;
    for (size_t k = 0; k < (size_t)s.N * s.groups; k++) {
        const float *in = x + k * run;
        float *out = y + k * run;
        float a[4] = {0}, c1[4] = {0}, c2[4] = {0};
        for (size_t i = 0; i < run; i++)
            a[i & 3] += in[i];
        float mu = ((a[0] + a[1]) + (a[2] + a[3])) / (float)run;
        for (size_t i = 0; i < run; i++) {
            float c = in[i] - mu;
            c1[i & 3] += c;
            c2[i & 3] += c * c;
        }
        float s1 = (c1[0] + c1[1]) + (c1[2] + c1[3]), s2 = (c2[0] + c2[1]) + (c2[2] + c2[3]);
        float var = (s2 - s1 * s1 / (float)run) / (float)run;
        float rstd = 1.0f / sqrtf(var + s.eps);
        for (size_t i = 0; i < run; i++) {
            size_t ch = k % s.groups * per + i / s.L;
            out[i] = (in[i] - mu) * (rstd * w[ch]) + b[ch];
        }
    }
}
