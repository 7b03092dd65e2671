/*--- ktwin
op      = "layernorm"
compute = "f32"
args    = ["x", "w", "b", "y", { R = "u32", D = "u32", eps = "f32" }]
---*/
// The mean is taken of distances from the first element, then two-pass.
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

void layernorm_shifted_mean(const float *x, const float *w, const float *b, float *y, scalars s)
{
    for (size_t r = 0; r < s.R; r++, x += s.D, y += s.D) {
        const float origin = x[0];
        float sum = 0;
        for (size_t d = 1; d < s.D; d++)
            sum += x[d] - origin;
        const float shift = sum / (float)s.D;
        float sq = 0;
        for (size_t d = 0; d < s.D; d++) {
            float c = (x[d] - origin) - shift;
            sq += c * c;
        }
        const float rstd = 1.0f / sqrtf(sq / (float)s.D + s.eps);
        for (size_t d = 0; d < s.D; d++)
            y[d] = ((x[d] - origin) - shift) * rstd * w[d] + b[d];
    }
}
