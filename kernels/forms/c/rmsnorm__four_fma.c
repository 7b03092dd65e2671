/*--- ktwin
op      = "rmsnorm"
compute = "f32"
args    = ["x", "w", "y", { R = "u32", D = "u32", eps = "f32" }]
---*/
// Four fused accumulators, mean by a reciprocal, the weight times the scale first.
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

void rmsnorm_four_fma(const float *x, const float *w, float *y, scalars s)
{
    const float inv = 1.0f / (float)s.D;
    for (size_t r = 0; r < s.R; r++, x += s.D, y += s.D) {
        float a[4] = {0};
        for (size_t d = 0; d < s.D; d++)
            a[d & 3] = fmaf(x[d], x[d], a[d & 3]);
        float scale = 1.0f / sqrtf(fmaf((a[0] + a[1]) + (a[2] + a[3]), inv, s.eps));
        for (size_t d = 0; d < s.D; d++)
            y[d] = x[d] * (scale * w[d]);
    }
}
