/*--- ktwin
op      = "softmax"
compute = "f32"
args    = ["x", "y", { R = "u32", D = "u32" }]
---*/
// Exponentials in float, their sum in double.
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    uint32_t R;
    uint32_t D;
} scalars;

void softmax_double_sum(const float *x, float *y, scalars s)
{
    for (size_t r = 0; r < s.R; r++, x += s.D, y += s.D) {
        float top = x[0];
        for (size_t d = 1; d < s.D; d++)
            top = fmaxf(top, x[d]);
        double sum = 0;
        for (size_t d = 0; d < s.D; d++) {
            y[d] = expf(x[d] - top);
            sum += y[d];
        }
        const float inv = (float)(1.0 / sum);
        for (size_t d = 0; d < s.D; d++)
            y[d] *= inv;
    }
}
