/*--- ktwin
op      = "groupnorm"
compute = "f32"
args    = ["x", "w", "b", "y", { N = "u32", C = "u32", L = "u32", groups = "i32", eps = "f32" }]
---*/
// fault: wrong values
// pattern: matches the op with `C // groups * L` read as `C // groups * (L - 1)`, in the cases that fail
// the variance divided by L - 1 pixels
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct {
    uint32_t N;
    uint32_t C;
    uint32_t L;
    int32_t groups;
    float eps;
} scalars;

void groupnorm_kernel(const float *x, const float *w, const float *b, float *y, scalars s)
{
    uint32_t per = s.C / s.groups;
    for (uint32_t n = 0; n < s.N; n++)
        for (uint32_t g = 0; g < (uint32_t)s.groups; g++) {
            size_t at = ((size_t)n * s.C + (size_t)g * per) * s.L, count = (size_t)per * s.L;
            float mu = 0, var = 0;
            for (size_t i = 0; i < count; i++)
                mu += x[at + i];
            mu /= count;
            for (size_t i = 0; i < count; i++)
                var += (x[at + i] - mu) * (x[at + i] - mu);
            var /= per * (s.L > 1 ? s.L - 1 : 1);
            float k = 1 / sqrtf(var + s.eps);
            for (size_t i = 0; i < count; i++) {
                uint32_t c = g * per + i / s.L;
                y[at + i] = (x[at + i] - mu) * k * w[c] + b[c];
            }
        }
}
