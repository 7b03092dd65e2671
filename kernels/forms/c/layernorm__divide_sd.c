/*--- ktwin
op      = "layernorm"
compute = "f32"
args    = ["x", "w", "b", "y", { R = "u32", D = "u32", eps = "f32" }]
---*/
// Divides every element by the standard deviation.
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

void layernorm_divide_sd(const float *x, const float *w, const float *b, float *y, scalars s)
{
    for (size_t r = 0; r < s.R; r++) {
        float total = 0;
        for (size_t d = 0; d < s.D; d++)
            total += x[r * s.D + d];
        const float mu = total / s.D;
        float sq = 0;
        for (size_t d = 0; d < s.D; d++)
            sq += (x[r * s.D + d] - mu) * (x[r * s.D + d] - mu);
        const float sd = sqrtf(sq / s.D + s.eps);
        for (size_t d = 0; d < s.D; d++)
            y[r * s.D + d] = w[d] * ((x[r * s.D + d] - mu) / sd) + b[d];
    }
}
