/*--- ktwin
op      = "rmsnorm_backward"
compute = "f32"
args    = ["x", "w", "dy", "dx", "dw", { R = "u32", D = "u32", eps = "f32" }]
---*/
// Normalised row, its share along the gradient, division by the root.
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    uint32_t R;
    uint32_t D;
    float eps;
} scalars;

void rmsnorm_backward_formula(const float *x, const float *w, const float *dy, float *dx, float *dw, scalars s)
{
    for (size_t d = 0; d < s.D; d++)
        dw[d] = 0;
    for (size_t r = 0; r < s.R; r++, x += s.D, dy += s.D, dx += s.D) {
        float sq = 0, along = 0;
        for (size_t d = 0; d < s.D; d++)
            sq += x[d] * x[d];
        float rms = sqrtf(sq / (float)s.D + s.eps);
        for (size_t d = 0; d < s.D; d++)
            along += dy[d] * w[d] * (x[d] / rms);
        along /= (float)s.D;
        for (size_t d = 0; d < s.D; d++) {
            float n = x[d] / rms;
            dx[d] = (dy[d] * w[d] - n * along) / rms;
            dw[d] += dy[d] * n;
        }
    }
}
