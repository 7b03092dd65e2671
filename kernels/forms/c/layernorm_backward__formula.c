/*--- ktwin
op      = "layernorm_backward"
compute = "f32"
args    = ["x", "w", "dy", "dx", "dw", "db", { R = "u32", D = "u32", eps = "f32" }]
---*/
// All three gradients row by row, in the order of the formula.
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

void layernorm_backward_formula(const float *x, const float *w, const float *dy, float *dx, float *dw, float *db, scalars s)
{
    for (size_t d = 0; d < s.D; d++)
        dw[d] = db[d] = 0;
    for (size_t r = 0; r < s.R; r++, x += s.D, dy += s.D, dx += s.D) {
        float mu = 0, var = 0, move = 0, along = 0;
        for (size_t d = 0; d < s.D; d++)
            mu += x[d];
        mu /= (float)s.D;
        for (size_t d = 0; d < s.D; d++)
            var += (x[d] - mu) * (x[d] - mu);
        const float sd = sqrtf(var / (float)s.D + s.eps);
        for (size_t d = 0; d < s.D; d++) {
            float n = (x[d] - mu) / sd, g = dy[d] * w[d];
            move += g;
            along += g * n;
            dw[d] += dy[d] * n;
            db[d] += dy[d];
        }
        move /= (float)s.D;
        along /= (float)s.D;
        for (size_t d = 0; d < s.D; d++)
            dx[d] = (dy[d] * w[d] - move - (x[d] - mu) / sd * along) / sd;
    }
}
