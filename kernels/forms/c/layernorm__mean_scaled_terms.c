/*--- ktwin
op      = "layernorm"
compute = "f32"
args    = ["x", "w", "b", "y", { R = "u32", D = "u32", eps = "f32" }]
---*/
// Mean and variance as sums of terms already multiplied by 1 / n.
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

void layernorm_mean_scaled_terms(const float *x, const float *w, const float *b, float *y, scalars s)
{
    const float share = 1.0f / (float)s.D;
    for (size_t r = 0; r < s.R; r++) {
        const float *in = &x[r * s.D];
        float mu = 0, var = s.eps;
        for (size_t d = 0; d < s.D; d++)
            mu += in[d] * share;
        for (size_t d = 0; d < s.D; d++) {
            float c = in[d] - mu;
            var += c * c * share;
        }
        float rstd = 1.0f / sqrtf(var);
        for (size_t d = 0; d < s.D; d++)
            y[r * s.D + d] = (in[d] - mu) * (rstd * w[d]) + b[d];
    }
}
