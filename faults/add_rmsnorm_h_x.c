/*--- ktwin
op      = "add_rmsnorm"
compute = "f32"
args    = ["x", "res", "w", "h", "y", { R = "u32", D = "u32", eps = "f32" }]
---*/
// fault: wrong values
// pattern: h: every wrong element equals the input x
// the residual stream goes on without the sum
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct {
    uint32_t R;
    uint32_t D;
    float eps;
} scalars;

void add_rmsnorm_kernel(const float *x, const float *res, const float *w, float *h, float *y, scalars s)
{
    for (uint32_t r = 0; r < s.R; r++) {
        size_t at = (size_t)r * s.D;
        float sum = 0;
        for (uint32_t d = 0; d < s.D; d++) {
            float v = x[at + d] + res[at + d];
            h[at + d] = x[at + d];
            sum += v * v;
        }
        float k = 1 / sqrtf(sum / s.D + s.eps);
        for (uint32_t d = 0; d < s.D; d++)
            y[at + d] = (x[at + d] + res[at + d]) * k * w[d];
    }
}
