/*--- ktwin
op      = "gelu_erf"
compute = "f32"
args    = ["x", "y", { N = "u32" }]
---*/
// Half x times 1 + erf.
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void gelu_erf_erf(const float *x, float *y, uint32_t N)
{
    for (uint32_t n = 0; n < N; n++)
        y[n] = 0.5f * x[n] * (1.0f + erff(x[n] * 0.70710678118654752f));
}
