/*--- ktwin
op      = "layernorm"
compute = "f32"
args    = ["x", "w", "b", "y", { R = "u32", D = "u32", eps = "f32" }]
---*/
// Variance by the corrected two-pass algorithm, and the mean corrected by the second pass.
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

void layernorm_corrected(const float *x, const float *w, const float *b, float *y, scalars s)
{
    const float n = (float)s.D;
    for (size_t r = 0; r < s.R; r++, x += s.D, y += s.D) {
        float mean = 0;
        for (size_t d = 0; d < s.D; d++)
            mean += x[d];
        mean /= n;
        float first = 0, second = 0;
        for (size_t d = 0; d < s.D; d++) {
            float c = x[d] - mean;
            first += c;
            second += c * c;
        }
        float fix = first / n;
        float var = (second - first * fix) / n;
        float rstd = 1.0f / sqrtf(var + s.eps);
        for (size_t d = 0; d < s.D; d++)
            y[d] = ((x[d] - mean) - fix) * rstd * w[d] + b[d];
    }
}
