/*--- ktwin
op   = "layernorm"
args = ["x", "w", "b", "y", { R = "u32", D = "u32", eps = "f32" }]
---*/
// fault: wrong values
// pattern: matches the op with `sum[d]((x[r, d] - mu[r])^2)` read as `sum[d]((x[r, d])^2) - D * (mu[r])^2`
// The variance is the mean of the squares less the square of the mean: nothing is left of it far from zero.
#include <math.h>
#include <stdint.h>

typedef struct {
    uint32_t R, D;
    float eps;
} sizes_t;

void layernorm(const float *x, const float *w, const float *b, float *y, sizes_t s)
{
    for (uint32_t r = 0; r < s.R; r++) {
        const float *row = x + r * s.D;
        float sum = 0.0f, squares = 0.0f;
        for (uint32_t d = 0; d < s.D; d++) {
            sum += row[d];
            squares += row[d] * row[d];
        }
        float mean = sum / s.D;
        float scale = 1.0f / sqrtf(fmaxf(squares / s.D - mean * mean, 0.0f) + s.eps);
        for (uint32_t d = 0; d < s.D; d++)
            y[r * s.D + d] = (row[d] - mean) * scale * w[d] + b[d];
    }
}
