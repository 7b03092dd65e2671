/*--- ktwin
op   = "softmax"
args = ["x", "y", { R = "u32", D = "u32" }]
---*/
// fault: wrong values
// pattern: every element is wrong
// A row is kept in 1024 numbers; what goes beyond is not added.
#include <math.h>
#include <stdint.h>

typedef struct {
    uint32_t R, D;
} sizes_t;


void softmax(const float *x, float *y, sizes_t s)
{
    float e[1024];
    for (uint32_t r = 0; r < s.R; r++) {
        const float *row = x + r * s.D;
        float top = -INFINITY, total = 0.0f;
        for (uint32_t d = 0; d < s.D; d++)
            top = fmaxf(top, row[d]);
        for (uint32_t d = 0; d < s.D && d < 1024; d++)
            total += e[d] = expf(row[d] - top);
        for (uint32_t d = 0; d < s.D; d++)
            y[r * s.D + d] = (d < 1024 ? e[d] : expf(row[d] - top)) / total;
    }
}
