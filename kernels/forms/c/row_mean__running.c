/*--- ktwin
op      = "row_mean"
compute = "f32"
args    = ["x", "y", { R = "u32", D = "u32" }]
---*/
// A running mean with the reciprocal of the count.
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    uint32_t R;
    uint32_t D;
} scalars;

void row_mean_running(const float *x, float *y, scalars s)
{
    for (size_t r = 0; r < s.R; r++) {
        float m = x[r * s.D];
        for (size_t d = 1; d < s.D; d++)
            m += (x[r * s.D + d] - m) * (1.0f / (float)(d + 1));
        y[r] = m;
    }
}
