/*--- ktwin
op      = "layernorm"
compute = "f32"
args    = ["x", "w", "b", "y", { R = "u32", D = "u32", eps = "f32" }]
---*/
// Moments in double, elements in float.
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

void layernorm_double_moments(const float *x, const float *w, const float *b, float *y, scalars s)
{
    for (uint32_t r = 0; r < s.R; r++) {
        const float *row = x + (size_t)r * s.D;
        double sum = 0.0, sq = 0.0;
        for (uint32_t d = 0; d < s.D; d++)
            sum += row[d];
        double mu = sum / s.D;
        for (uint32_t d = 0; d < s.D; d++)
            sq += (row[d] - mu) * (row[d] - mu);
        float mean = (float)mu, rstd = (float)(1.0 / sqrt(sq / s.D + (double)s.eps));
        for (uint32_t d = 0; d < s.D; d++)
            y[(size_t)r * s.D + d] = (row[d] - mean) * rstd * w[d] + b[d];
    }
}
