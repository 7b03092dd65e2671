/*--- ktwin
op      = "rmsnorm"
compute = "f32"
args    = ["x", "w", "y", { R = "u32", D = "u32", eps = "f32" }]
---*/
// One sum of squares, one reciprocal root.
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    uint32_t R;
    uint32_t D;
    float eps;
} scalars;

void rmsnorm_plain(const float *x, const float *w, float *y, scalars s)
{
    for (size_t r = 0; r < s.R; r++, x += s.D, y += s.D) {
        float sq = 0;
        for (size_t d = 0; d < s.D; d++)
            sq += x[d] * x[d];
        float k = 1.0f / sqrtf(sq / (float)s.D + s.eps);
        for (size_t d = 0; d < s.D; d++)
            y[d] = w[d] * (x[d] * k);
    }
}
