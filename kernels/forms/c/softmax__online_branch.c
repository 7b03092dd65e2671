/*--- ktwin
op      = "softmax"
compute = "f32"
args    = ["x", "y", { R = "u32", D = "u32" }]
---*/
// Online form that rescales only when the maximum rises, reciprocal multiply.
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    uint32_t R;
    uint32_t D;
} scalars;

void softmax_online_branch(const float *x, float *y, scalars s)
{
    for (size_t r = 0; r < s.R; r++, x += s.D, y += s.D) {
        float m = x[0], l = 1;
        for (size_t d = 1; d < s.D; d++) {
            if (x[d] > m) {
                l = l * expf(m - x[d]) + 1.0f;
                m = x[d];
            } else
                l += expf(x[d] - m);
        }
        const float inv = 1.0f / l;
        for (size_t d = 0; d < s.D; d++)
            y[d] = expf(x[d] - m) * inv;
    }
}
