/*--- ktwin
op      = "softmax"
compute = "f32"
args    = ["x", "y", { R = "u32", D = "u32" }]
---*/
// Two online streams, even and odd, merged by the larger maximum.
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    uint32_t R;
    uint32_t D;
} scalars;

void softmax_two_lanes_online(const float *x, float *y, scalars s)
{
    for (size_t r = 0; r < s.R; r++, x += s.D, y += s.D) {
        float m[2] = {-INFINITY, -INFINITY}, l[2] = {0, 0};
        for (size_t d = 0; d < s.D; d++) {
            float *top = &m[d & 1], *sum = &l[d & 1];
            if (x[d] > *top) {
                *sum *= expf(*top - x[d]);
                *top = x[d];
            }
            *sum += expf(x[d] - *top);
        }
        float top = fmaxf(m[0], m[1]);
        float total = l[0] * expf(m[0] - top) + l[1] * expf(m[1] - top);
        for (size_t d = 0; d < s.D; d++)
            y[d] = expf(x[d] - top) / total;
    }
}
