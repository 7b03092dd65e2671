/*--- ktwin
op      = "row_variance"
compute = "f32"
args    = ["x", "y", { R = "u32", D = "u32" }]
---*/
// Eight strided accumulators in both passes.
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    uint32_t R;
    uint32_t D;
} scalars;

void row_variance_eight_lanes(const float *x, float *y, scalars s)
{
    for (size_t r = 0; r < s.R; r++, x += s.D) {
        float lane[8] = {0};
        for (size_t d = 0; d < s.D; d++)
            lane[d & 7] += x[d];
        float mean = (((lane[0] + lane[4]) + (lane[2] + lane[6])) + ((lane[1] + lane[5]) + (lane[3] + lane[7]))) / (float)s.D;
        for (int j = 0; j < 8; j++)
            lane[j] = 0;
        for (size_t d = 0; d < s.D; d++) {
            float c = x[d] - mean;
            lane[d & 7] = fmaf(c, c, lane[d & 7]);
        }
        float sum = 0;
        for (int j = 0; j < 8; j++)
            sum += lane[j];
        y[r] = sum / (float)s.D;
    }
}
