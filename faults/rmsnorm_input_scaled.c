/*--- ktwin
op      = "rmsnorm_gemma"
compute = "f32"
args    = ["x", "w", "y", { R = "u32", D = "u32", eps = "f32" }]
---*/
// fault: input changed
// pattern: none
// Rows of x are scaled in place on the way.
#include <math.h>
#include <stdint.h>

typedef struct {
    uint32_t R, D;
    float eps;
} scalars;

void rmsnorm_gemma(float *x, const float *w, float *y, scalars s)
{
    for (uint32_t r = 0; r < s.R; r++, x += s.D, y += s.D) {
        float sum = 0;
        for (uint32_t d = 0; d < s.D; d++)
            sum += x[d] * x[d];
        float scale = 1.0f / sqrtf(sum / (float)s.D + s.eps);
        for (uint32_t d = 0; d < s.D; d++)
            {
                x[d] *= scale;
                y[d] = x[d] * (1.0f + w[d]);
            }
    }
}
