/*--- ktwin
op      = "col_sum"
compute = "f32"
args    = ["x", "y", { R = "u32", D = "u32" }]
---*/
// fault: wrong values
// pattern: matches the op with `sum[r](x[r, d])` read as `mean[r](x[r, d])`
// divided by the number of rows
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct {
    uint32_t R;
    uint32_t D;
} scalars;

void col_sum_kernel(const float *x, float *y, scalars s)
{
    for (uint32_t d = 0; d < s.D; d++) {
        float sum = 0;
        for (uint32_t r = 0; r < s.R; r++)
            sum += x[(size_t)r * s.D + d];
        y[d] = sum / s.R;
    }
}
