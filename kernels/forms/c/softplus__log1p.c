/*--- ktwin
op      = "softplus"
compute = "f32"
args    = ["x", "y", { N = "u32" }]
---*/
// Max(x, 0) + log1pf(expf(-|x|)).
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void softplus_log1p(const float *x, float *y, uint32_t N)
{
    for (uint32_t n = 0; n < N; n++)
        y[n] = fmaxf(x[n], 0.0f) + log1pf(expf(-fabsf(x[n])));
}
