/*--- ktwin
op      = "row_mean"
compute = "f32"
args    = ["x", "y", { R = "u32", D = "u32" }]
---*/
// Sixteen strided sums, a tree, times 1 / D.
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    uint32_t R;
    uint32_t D;
} scalars;

void row_mean_lanes(const float *x, float *y, scalars s)
{
    const float inv = 1.0f / (float)s.D;
    for (size_t r = 0; r < s.R; r++, x += s.D) {
        float lane[16] = {0};
        for (size_t d = 0; d < s.D; d++)
            lane[d % 16] += x[d];
        for (int h = 8; h; h /= 2)
            for (int j = 0; j < h; j++)
                lane[j] += lane[j + h];
        y[r] = lane[0] * inv;
    }
}
