/*--- ktwin
op      = "layernorm"
compute = "f32"
args    = ["x", "w", "b", "y", { R = "u32", D = "u32", eps = "f32" }]
---*/
// Mean, then the mean of squared distances, then 1 / sqrtf and a product.
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

void layernorm_two_pass(const float *x, const float *w, const float *b, float *y, scalars s)
{
    for (size_t r = 0; r < s.R; r++) {
        const float *row = x + r * s.D;
        float *out = y + r * s.D;
        float mean = 0.0f;
        for (size_t d = 0; d < s.D; d++)
            mean += row[d];
        mean /= (float)s.D;
        float var = 0.0f;
        for (size_t d = 0; d < s.D; d++) {
            float c = row[d] - mean;
            var += c * c;
        }
        var /= (float)s.D;
        float rstd = 1.0f / sqrtf(var + s.eps);
        for (size_t d = 0; d < s.D; d++)
            out[d] = (row[d] - mean) * rstd * w[d] + b[d];
    }
}
