/*--- ktwin
op      = "row_variance"
compute = "f32"
args    = ["x", "y", { R = "u32", D = "u32" }]
---*/
// Running mean, then a running mean of squared distances.
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    uint32_t R;
    uint32_t D;
} scalars;

void row_variance_running_both(const float *x, float *y, scalars s)
{
    for (size_t r = 0; r < s.R; r++, x += s.D) {
        float mu = 0, var = 0;
        for (size_t d = 0; d < s.D; d++)
            mu += (x[d] - mu) / (float)(d + 1);
        for (size_t d = 0; d < s.D; d++) {
            float c = x[d] - mu;
            var += (c * c - var) / (float)(d + 1);
        }
        y[r] = var;
    }
}
