/*--- ktwin
op      = "layernorm_backward"
compute = "f32"
args    = ["x", "w", "dy", "dx", "dw", "db", { R = "u32", D = "u32", eps = "f32" }]
---*/
// Rstd g - rstd mean(g) - mean(g c) rstd^3 c with the centred c, Welford moments.
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

void layernorm_backward_expanded(const float *x, const float *w, const float *dy, float *dx, float *dw, float *db, scalars s)
{
    memset(dw, 0, sizeof *dw * s.D);
    memset(db, 0, sizeof *db * s.D);
    for (size_t r = 0; r < s.R; r++) {
        const float *xr = x + r * s.D, *gr = dy + r * s.D;
        float mean = 0, m2 = 0, sg = 0, sgc = 0;
        for (size_t d = 0; d < s.D; d++) {
            float delta = xr[d] - mean;
            mean += delta / (float)(d + 1);
            m2 += delta * (xr[d] - mean);
        }
        const float n = (float)s.D, rstd = 1.0f / sqrtf(m2 / n + s.eps);
        for (size_t d = 0; d < s.D; d++) {
            float g = gr[d] * w[d], c = xr[d] - mean;
            sg += g;
            sgc += g * c;
        }
        const float a = rstd * (sg / n), b = sgc / n * rstd * rstd * rstd;
        for (size_t d = 0; d < s.D; d++) {
            float c = xr[d] - mean;
            dx[r * s.D + d] = rstd * gr[d] * w[d] - a - b * c;
            dw[d] += gr[d] * (c * rstd);
            db[d] += gr[d];
        }
    }
}
