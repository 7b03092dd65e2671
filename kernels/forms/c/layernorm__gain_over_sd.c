/*--- ktwin
op      = "layernorm"
compute = "f32"
args    = ["x", "w", "b", "y", { R = "u32", D = "u32", eps = "f32" }]
---*/
// Gain w / sd computed for each column.
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

void layernorm_gain_over_sd(const float *x, const float *w, const float *b, float *y, scalars s)
{
    for (size_t r = 0; r < s.R; r++) {
        const float *v = x + r * s.D;
        float mu = v[0];
        for (size_t d = 1; d < s.D; d++)
            mu += (v[d] - mu) / (float)(d + 1);
        float var = 0;
        for (size_t d = 0; d < s.D; d++) {
            float c = v[d] - mu;
            var += (c * c - var) / (float)(d + 1);
        }
        float sd = sqrtf(var + s.eps);
        for (size_t d = 0; d < s.D; d++)
            y[r * s.D + d] = b[d] + (v[d] - mu) * (w[d] / sd);
    }
}
