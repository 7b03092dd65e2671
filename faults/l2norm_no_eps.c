/*--- ktwin
op      = "l2norm"
compute = "f32"
args    = ["x", "y", { R = "u32", D = "u32", eps = "f32" }]
---*/
// fault: wrong values
// a row of zeros is divided by zero
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct {
    uint32_t R;
    uint32_t D;
    float eps;
} scalars;

void l2norm_kernel(const float *x, float *y, scalars s)
{
    for (uint32_t r = 0; r < s.R; r++, x += s.D, y += s.D) {
        float sum = 0;
        for (uint32_t d = 0; d < s.D; d++)
            sum += x[d] * x[d];
        float inv = 1 / sqrtf(sum);
        for (uint32_t d = 0; d < s.D; d++)
            y[d] = x[d] * inv;
    }
}
