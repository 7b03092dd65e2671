/*--- ktwin
op      = "softmax_backward"
compute = "f32"
args    = ["y", "dy", "dx", { R = "u32", D = "u32" }]
---*/
// Dot product of row, then y times the difference.
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    uint32_t R;
    uint32_t D;
} scalars;

void softmax_backward_plain(const float *y, const float *dy, float *dx, scalars s)
{
    for (size_t r = 0; r < s.R; r++) {
        float along = 0;
        for (size_t d = 0; d < s.D; d++)
            along += y[r * s.D + d] * dy[r * s.D + d];
        for (size_t d = 0; d < s.D; d++)
            dx[r * s.D + d] = y[r * s.D + d] * (dy[r * s.D + d] - along);
    }
}
