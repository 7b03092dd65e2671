/*--- ktwin
op      = "layernorm_backward"
compute = "f32"
args    = ["x", "w", "dy", "dx", "dw", "db", { R = "u32", D = "u32", eps = "f32" }]
---*/
// Rstd / D * (D g - sum(g) - n sum(g n)), the textbook form.
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

void layernorm_backward_n_times(const float *x, const float *w, const float *dy, float *dx, float *dw, float *db, scalars s)
{
    const float D = (float)s.D;
    float *n = malloc(sizeof *n * s.D);
    for (size_t d = 0; d < s.D; d++)
        dw[d] = db[d] = 0.0f;
    for (size_t r = 0; r < s.R; r++, x += s.D, dy += s.D, dx += s.D) {
        float mu = 0, var = 0, s1 = 0, s2 = 0;
        for (size_t d = 0; d < s.D; d++)
            mu += x[d];
        mu *= 1.0f / D;
        for (size_t d = 0; d < s.D; d++) {
            n[d] = x[d] - mu;
            var += n[d] * n[d];
        }
        const float rstd = 1.0f / sqrtf(var * (1.0f / D) + s.eps);
        for (size_t d = 0; d < s.D; d++) {
            n[d] *= rstd;
            s1 += dy[d] * w[d];
            s2 += dy[d] * w[d] * n[d];
            dw[d] += dy[d] * n[d];
            db[d] += dy[d];
        }
        for (size_t d = 0; d < s.D; d++)
            dx[d] = rstd / D * (D * (dy[d] * w[d]) - s1 - n[d] * s2);
    }
    free(n);
}
