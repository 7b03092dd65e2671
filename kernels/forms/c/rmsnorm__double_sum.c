/*--- ktwin
op      = "rmsnorm"
compute = "f32"
args    = ["x", "w", "y", { R = "u32", D = "u32", eps = "f32" }]
---*/
// Squares in a double accumulator as llama.cpp does it.
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

void rmsnorm_double_sum(const float *x, const float *w, float *y, scalars s)
{
    for (size_t r = 0; r < s.R; r++) {
        double sum = 0.0;
        for (size_t d = 0; d < s.D; d++)
            sum += (double)(x[r * s.D + d] * x[r * s.D + d]);
        const float mean = (float)(sum / s.D);
        const float scale = 1.0f / sqrtf(mean + s.eps);
        for (size_t d = 0; d < s.D; d++)
            y[r * s.D + d] = x[r * s.D + d] * scale * w[d];
    }
}
