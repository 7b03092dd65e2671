/*--- ktwin
op      = "groupnorm"
compute = "f32"
args    = ["x", "w", "b", "y", { N = "u32", C = "u32", L = "u32", groups = "u32", eps = "f32" }]
---*/
// Welford over the elements of a group, divided by the deviation at the end.
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

void groupnorm_welford(const float *x, const float *w, const float *b, float *y, scalars s)
{
    const uint32_t per = s.C / s.groups;
    for (uint32_t n = 0; n < s.N; n++)
        for (uint32_t g = 0; g < s.groups; g++) {
            float mean = 0, m2 = 0;
            uint32_t seen = 0;
            for (uint32_t c = g * per; c < (g + 1) * per; c++)
                for (uint32_t l = 0; l < s.L; l++) {
                    float v = x[((size_t)n * s.C + c) * s.L + l];
                    float d = v - mean;
                    seen++;
                    mean += d / (float)seen;
                    m2 += d * (v - mean);
                }
            float sd = sqrtf(m2 / (float)seen + s.eps);
            for (uint32_t c = g * per; c < (g + 1) * per; c++)
                for (uint32_t l = 0; l < s.L; l++) {
                    size_t i = ((size_t)n * s.C + c) * s.L + l;
                    y[i] = (x[i] - mean) / sd * w[c] + b[c];
                }
        }
}
