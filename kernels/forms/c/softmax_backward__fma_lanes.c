/*--- ktwin
op      = "softmax_backward"
compute = "f32"
args    = ["y", "dy", "dx", { R = "u32", D = "u32" }]
---*/
// Four fused accumulators, fused result.
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    uint32_t R;
    uint32_t D;
} scalars;

void softmax_backward_fma_lanes(const float *y, const float *dy, float *dx, scalars s)
{
    for (size_t r = 0; r < s.R; r++, y += s.D, dy += s.D, dx += s.D) {
        float acc[4] = {0};
        size_t d = 0;
        for (; d + 4 <= s.D; d += 4)
            for (int j = 0; j < 4; j++)
                acc[j] = fmaf(y[d + j], dy[d + j], acc[j]);
        float along = (acc[0] + acc[1]) + (acc[2] + acc[3]);
        for (; d < s.D; d++)
            along = fmaf(y[d], dy[d], along);
        for (d = 0; d < s.D; d++)
            dx[d] = fmaf(-along, y[d], y[d] * dy[d]);
    }
}
