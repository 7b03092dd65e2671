/*--- ktwin
op      = "silu"
compute = "f32"
args    = ["x", "y", { N = "u32" }]
---*/
// A stable sigmoid by the sign of x.
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static float logistic(float v)
{
    float e = expf(-fabsf(v)), r = 1.0f / (1.0f + e);
    return v >= 0 ? r : e * r;
}

void silu_branch(const float *x, float *y, uint32_t N)
{
    for (uint32_t n = 0; n < N; n++)
        y[n] = x[n] * logistic(x[n]);
}
