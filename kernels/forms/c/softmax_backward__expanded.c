/*--- ktwin
op      = "softmax_backward"
compute = "f32"
args    = ["y", "dy", "dx", { R = "u32", D = "u32" }]
---*/
// Y * dy kept, minus y times the sum of them.
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    uint32_t R;
    uint32_t D;
} scalars;

void softmax_backward_expanded(const float *y, const float *dy, float *dx, scalars s)
{
    for (size_t r = 0; r < s.R; r++, y += s.D, dy += s.D, dx += s.D) {
        float sum = 0;
        for (size_t d = 0; d < s.D; d++) {
            dx[d] = y[d] * dy[d];
            sum += dx[d];
        }
        for (size_t d = 0; d < s.D; d++)
            dx[d] -= y[d] * sum;
    }
}
