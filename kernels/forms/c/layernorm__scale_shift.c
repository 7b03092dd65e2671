/*--- ktwin
op      = "layernorm"
compute = "f32"
args    = ["x", "w", "b", "y", { R = "u32", D = "u32", eps = "f32" }]
---*/
// One multiply and add for each element, a = rstd * w and the shift from the mean.
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

void layernorm_scale_shift(const float *x, const float *w, const float *b, float *y, scalars s)
{
    for (size_t r = 0; r < s.R; r++) {
        const float *row = x + r * s.D;
        float sum = 0;
        for (size_t d = 0; d < s.D; d++)
            sum += row[d];
        float mu = sum / (float)s.D, sq = 0;
        for (size_t d = 0; d < s.D; d++)
            sq += (row[d] - mu) * (row[d] - mu);
        float rstd = 1.0f / sqrtf(sq / (float)s.D + s.eps);
        for (size_t d = 0; d < s.D; d++) {
            float a = rstd * w[d];
            float c = b[d] - mu * a;
            y[r * s.D + d] = row[d] * a + c;
        }
    }
}
