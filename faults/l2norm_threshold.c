/*--- ktwin
op   = "l2norm"
args = ["x", "y", { R = "u32", D = "u32", eps = "f32" }]
---*/
// fault: wrong values
// pattern: every wrong element is zero
// Rows shorter than eps come out as zeros.
#include <math.h>
#include <stdint.h>

typedef struct {
    uint32_t R, D;
    float eps;
} sizes;

void l2norm(const float *x, float *y, sizes s)
{
    for (uint32_t r = 0; r < s.R; r++, x += s.D, y += s.D) {
        double sum = 0.0;
        for (uint32_t d = 0; d < s.D; d++)
            sum += (double)x[d] * x[d];
        double length = sqrt(sum);
        for (uint32_t d = 0; d < s.D; d++)
            y[d] = length < s.eps ? 0.0f : (float)(x[d] / length);
    }
}
