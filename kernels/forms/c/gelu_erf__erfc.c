/*--- ktwin
op      = "gelu_erf"
compute = "f32"
args    = ["x", "y", { N = "u32" }]
---*/
// By erfcf, precise in the left tail too.
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void gelu_erf_erfc(const float *x, float *y, uint32_t N)
{
    for (uint32_t n = 0; n < N; n++)
        y[n] = 0.5f * x[n] * erfcf(-x[n] / 1.41421356237309505f);
}
