/*--- ktwin
op      = "nrm2"
compute = "f32"
args    = ["x", "y", { N = "u32" }]
---*/
// Divided by the largest element first, pairs of squares.
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void nrm2_by_largest(const float *x, float *y, uint32_t N)
{
    float top = 0;
    for (uint32_t n = 0; n < N; n++)
        top = fmaxf(top, fabsf(x[n]));
    float sum = 0;
    if (top > 0)
        for (uint32_t n = 0; n < N; n += 2) {
            float a = x[n] / top, b = n + 1 < N ? x[n + 1] / top : 0.0f;
            sum += a * a + b * b;
        }
    y[0] = top * sqrtf(sum);
}
