/*--- ktwin
op      = "softmax"
compute = "f32"
args    = ["x", "y", { R = "u32", D = "u32" }]
---*/
// Running maximum and sum in one pass, the exponentials taken again for the result.
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    uint32_t R;
    uint32_t D;
} scalars;

void softmax_online(const float *x, float *y, scalars s)
{
    for (size_t r = 0; r < s.R; r++, x += s.D, y += s.D) {
        float m = -INFINITY, l = 0;
        for (size_t d = 0; d < s.D; d++) {
            float bigger = fmaxf(m, x[d]);
            l = l * expf(m - bigger) + expf(x[d] - bigger);
            m = bigger;
        }
        for (size_t d = 0; d < s.D; d++)
            y[d] = expf(x[d] - m) / l;
    }
}
