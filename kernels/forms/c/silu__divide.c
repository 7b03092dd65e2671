/*--- ktwin
op      = "silu"
compute = "f32"
args    = ["x", "y", { N = "u32" }]
---*/
// X / (1 + expf(-x)).
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void silu_divide(const float *x, float *y, uint32_t N)
{
    for (uint32_t n = 0; n < N; n++)
        y[n] = x[n] / (1.0f + expf(-x[n]));
}
