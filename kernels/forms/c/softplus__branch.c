/*--- ktwin
op      = "softplus"
compute = "f32"
args    = ["x", "y", { N = "u32" }]
---*/
// X + log1pf(expf(-x)) for positive x, log1pf(expf(x)) for the rest.
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void softplus_branch(const float *x, float *y, uint32_t N)
{
    for (uint32_t n = 0; n < N; n++) {
        float v = x[n];
        y[n] = v > 0 ? v + log1pf(expf(-v)) : log1pf(expf(v));
    }
}
