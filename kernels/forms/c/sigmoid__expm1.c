/*--- ktwin
op      = "sigmoid"
compute = "f32"
args    = ["x", "y", { N = "u32" }]
---*/
// 1 over (2 + expm1f(-x)) for positive x, expf(x) over (2 + expm1f(x)) for the rest.
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void sigmoid_expm1(const float *x, float *y, uint32_t N)
{
    for (uint32_t n = 0; n < N; n++) {
        float v = x[n];
        if (v >= 0)
            y[n] = 1.0f / (2.0f + expm1f(-v));
        else
            y[n] = expf(v) / (2.0f + expm1f(v));
    }
}
