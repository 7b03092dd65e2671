/*--- ktwin
op      = "softmax"
compute = "f32"
args    = ["x", "y", { R = "u32", D = "u32" }]
---*/
// Eight strided maxima and sums.
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    uint32_t R;
    uint32_t D;
} scalars;

void softmax_eight_lanes(const float *x, float *y, scalars s)
{
    for (size_t r = 0; r < s.R; r++, x += s.D, y += s.D) {
        float m[8], l[8] = {0};
        for (int j = 0; j < 8; j++)
            m[j] = -INFINITY;
        for (size_t d = 0; d < s.D; d++)
            m[d % 8] = fmaxf(m[d % 8], x[d]);
        for (int step = 4; step > 0; step /= 2)
            for (int j = 0; j < step; j++)
                m[j] = fmaxf(m[j], m[j + step]);
        for (size_t d = 0; d < s.D; d++) {
            y[d] = expf(x[d] - m[0]);
            l[d % 8] += y[d];
        }
        for (int step = 4; step > 0; step /= 2)
            for (int j = 0; j < step; j++)
                l[j] += l[j + step];
        for (size_t d = 0; d < s.D; d++)
            y[d] /= l[0];
    }
}
