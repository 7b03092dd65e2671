/*--- ktwin
op      = "layernorm"
compute = "f32"
args    = ["x", "w", "b", "y", { R = "u32", D = "u32", eps = "f32" }]
---*/
// The row is turned into x * rstd - mu * rstd, then weighed.
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

void layernorm_normalised_shift(const float *x, const float *w, const float *b, float *y, scalars s)
{
    const float inv_n = 1.0f / (float)s.D;
    for (size_t r = 0; r < s.R; r++, x += s.D, y += s.D) {
        float mu = 0, var = 0;
        for (size_t d = 0; d < s.D; d++)
            mu += x[d];
        mu *= inv_n;
        for (size_t d = 0; d < s.D; d++)
            var += (x[d] - mu) * (x[d] - mu);
        var *= inv_n;
        const float scale = 1.0f / sqrtf(var + s.eps), bias = -mu * scale;
        for (size_t d = 0; d < s.D; d++)
            y[d] = (x[d] * scale + bias) * w[d] + b[d];
    }
}
