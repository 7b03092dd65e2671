/*--- ktwin
op      = "rmsnorm_backward"
compute = "f32"
args    = ["x", "w", "dy", "dx", "dw", { R = "u32", D = "u32", eps = "f32" }]
---*/
// fault: wrong values
// pattern: matches the op with `dy[r, d] * n[r, d]` read as `dy[r, d] * (x[r, d])`
// dw with x not normalised
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct {
    uint32_t R;
    uint32_t D;
    float eps;
} scalars;

void rmsnorm_backward_kernel(const float *x, const float *w, const float *dy, float *dx, float *dw, scalars s)
{
    for (uint32_t d = 0; d < s.D; d++)
        dw[d] = 0;
    for (uint32_t r = 0; r < s.R; r++) {
        size_t at = (size_t)r * s.D;
        float sum = 0, along = 0;
        for (uint32_t d = 0; d < s.D; d++)
            sum += x[at + d] * x[at + d];
        float k = 1 / sqrtf(sum / s.D + s.eps);
        for (uint32_t d = 0; d < s.D; d++)
            along += dy[at + d] * w[d] * x[at + d] * k;
        along /= s.D;
        for (uint32_t d = 0; d < s.D; d++) {
            dx[at + d] = (dy[at + d] * w[d] - x[at + d] * k * along) * k;
            dw[d] += dy[at + d] * x[at + d];
        }
    }
}
