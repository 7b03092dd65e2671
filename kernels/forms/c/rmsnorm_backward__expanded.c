/*--- ktwin
op      = "rmsnorm_backward"
compute = "f32"
args    = ["x", "w", "dy", "dx", "dw", { R = "u32", D = "u32", eps = "f32" }]
---*/
// K g - k^3 / D * (g . x) x, with the reciprocal root k.
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

void rmsnorm_backward_expanded(const float *x, const float *w, const float *dy, float *dx, float *dw, scalars s)
{
    memset(dw, 0, sizeof *dw * s.D);
    for (size_t r = 0; r < s.R; r++) {
        const float *xr = x + r * s.D, *gr = dy + r * s.D;
        float sq = 0, dot = 0;
        for (size_t d = 0; d < s.D; d++) {
            sq += xr[d] * xr[d];
            dot += gr[d] * w[d] * xr[d];
        }
        const float k = 1.0f / sqrtf(sq / (float)s.D + s.eps);
        const float c = dot * k * k * k / (float)s.D;
        for (size_t d = 0; d < s.D; d++) {
            dx[r * s.D + d] = gr[d] * w[d] * k - xr[d] * c;
            dw[d] += gr[d] * xr[d] * k;
        }
    }
}
