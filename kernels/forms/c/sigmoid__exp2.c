/*--- ktwin
op      = "sigmoid"
compute = "f32"
args    = ["x", "y", { N = "u32" }]
---*/
// Powers of two.
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void sigmoid_exp2(const float *x, float *y, uint32_t N)
{
    for (uint32_t n = 0; n < N; n++) {
        float e = exp2f(-1.4426950408889634f * fabsf(x[n]));
        float big = 1.0f / (1.0f + e);
        y[n] = x[n] < 0 ? e * big : big;
    }
}
