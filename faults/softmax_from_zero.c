/*--- ktwin
op   = "softmax"
args = ["x", "y", { R = "u32", D = "u32" }]
---*/
// fault: wrong class
// pattern: matches the op with `max[d](x[r, d])` read as `max(0, max[d](x[r, d]))`
// pattern: every wrong element is NaN
// The maximum starts at 0: rows far below zero are divided by a sum of nothing.
#include <math.h>
#include <stdint.h>

typedef struct {
    uint32_t R, D;
} sizes_t;


void softmax(const float *x, float *y, sizes_t s)
{
    for (uint32_t r = 0; r < s.R; r++) {
        float top = 0.0f, total = 0.0f;
        for (uint32_t d = 0; d < s.D; d++)
            top = fmaxf(top, x[r * s.D + d]);
        for (uint32_t d = 0; d < s.D; d++)
            total += y[r * s.D + d] = expf(x[r * s.D + d] - top);
        for (uint32_t d = 0; d < s.D; d++)
            y[r * s.D + d] /= total;
    }
}
