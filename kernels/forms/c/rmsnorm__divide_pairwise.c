/*--- ktwin
op      = "rmsnorm"
compute = "f32"
args    = ["x", "w", "y", { R = "u32", D = "u32", eps = "f32" }]
---*/
// Squares added by halving, every element divided by the root.
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

static float squares(const float *x, uint32_t n)
{
    if (n <= 2)
        return n == 1 ? x[0] * x[0] : x[0] * x[0] + x[1] * x[1];
    uint32_t h = (n + 1) / 2;
    return squares(x, h) + squares(x + h, n - h);
}

void rmsnorm_divide_pairwise(const float *x, const float *w, float *y, scalars s)
{
    for (size_t r = 0; r < s.R; r++) {
        float rms = sqrtf(squares(x + r * s.D, s.D) / (float)s.D + s.eps);
        for (size_t d = 0; d < s.D; d++)
            y[r * s.D + d] = x[r * s.D + d] / rms * w[d];
    }
}
