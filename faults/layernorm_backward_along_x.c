/*--- ktwin
op      = "layernorm_backward"
compute = "f32"
args    = ["x", "w", "dy", "dx", "dw", "db", { R = "u32", D = "u32", eps = "f32" }]
---*/
// fault: wrong values
// pattern: matches the op with `g[r, d] * n[r, d]` read as `g[r, d] * (x[r, d] / sd[r])`
// the part along the row uses x without its mean taken out
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct {
    uint32_t R;
    uint32_t D;
    float eps;
} scalars;

void layernorm_backward_kernel(const float *x, const float *w, const float *dy, float *dx, float *dw, float *db, scalars s)
{
    for (uint32_t r = 0; r < s.R; r++) {
        const float *row = x + (size_t)r * s.D, *up = dy + (size_t)r * s.D;
        float mu = 0, var = 0, move = 0, along = 0;
        for (uint32_t d = 0; d < s.D; d++)
            mu += row[d] / s.D;
        for (uint32_t d = 0; d < s.D; d++)
            var += (row[d] - mu) * (row[d] - mu) / s.D;
        float k = 1 / sqrtf(var + s.eps);
        for (uint32_t d = 0; d < s.D; d++) {
            float n = (row[d] - mu) * k;
            move += up[d] * w[d] / s.D;
            along += up[d] * w[d] * (row[d] * k) / s.D;
            dw[d] = (r ? dw[d] : 0) + up[d] * n;
            db[d] = (r ? db[d] : 0) + up[d];
        }
        for (uint32_t d = 0; d < s.D; d++)
            dx[(size_t)r * s.D + d] = (up[d] * w[d] - move - (row[d] - mu) * k * along) * k;
    }
}
