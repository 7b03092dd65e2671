/*--- ktwin
op      = "rmsnorm_backward"
compute = "f32"
args    = ["x", "w", "dy", "dx", "dw", { R = "u32", D = "u32", eps = "f32" }]
---*/
// Reciprocal roots kept, the gradient of the weights column by column.
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

void rmsnorm_backward_columns_apart(const float *x, const float *w, const float *dy, float *dx, float *dw, scalars s)
{
    float *k = malloc(sizeof *k * s.R);
    for (size_t r = 0; r < s.R; r++) {
        const float *xr = x + r * s.D, *gr = dy + r * s.D;
        float a0 = 0, a1 = 0, b0 = 0, b1 = 0;
        for (size_t d = 0; d < s.D; d++) {
            float g = gr[d] * w[d];
            if (d & 1) {
                a1 += xr[d] * xr[d];
                b1 += g * xr[d];
            } else {
                a0 += xr[d] * xr[d];
                b0 += g * xr[d];
            }
        }
        k[r] = 1.0f / sqrtf((a0 + a1) / (float)s.D + s.eps);
        float mean = (b0 + b1) * k[r] / (float)s.D;
        for (size_t d = 0; d < s.D; d++)
            dx[r * s.D + d] = k[r] * (gr[d] * w[d] - xr[d] * k[r] * mean);
    }
    for (size_t d = 0; d < s.D; d++) {
        float sum = 0;
        for (size_t r = 0; r < s.R; r++)
            sum += dy[r * s.D + d] * (x[r * s.D + d] * k[r]);
        dw[d] = sum;
    }
    free(k);
}
