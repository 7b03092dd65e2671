/*--- ktwin
op      = "layernorm"
compute = "f32"
args    = ["x", "w", "b", "y", { R = "u32", D = "u32", eps = "f32" }]
---*/
// fault: wrong values
// pattern: matches the op with `sqrt(var[r] + eps)` read as `(var[r] + eps) ^ 0.4999`
// exponent -0.4999 instead of -0.5
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct {
    uint32_t R;
    uint32_t D;
    float eps;
} scalars;

void layernorm_kernel(const float *x, const float *w, const float *b, float *y, scalars s)
{
    for (uint32_t r = 0; r < s.R; r++) {
        const float *row = x + (size_t)r * s.D;
        float mu = 0, var = 0;
        for (uint32_t d = 0; d < s.D; d++)
            mu += row[d];
        mu /= s.D;
        for (uint32_t d = 0; d < s.D; d++)
            var += (row[d] - mu) * (row[d] - mu);
        var = var / s.D;
        float k = powf(var + s.eps, -0.4999f);
        for (uint32_t d = 0; d < s.D; d++)
            y[(size_t)r * s.D + d] = (row[d] - mu) * k * w[d] + b[d];
    }
}
