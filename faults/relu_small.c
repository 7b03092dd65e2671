/*--- ktwin
op      = "relu"
compute = "f32"
args    = ["x", "y", { N = "u32" }]
---*/
// fault: wrong values
// pattern: every wrong element is zero
// positive elements below 1e-3 become 0
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

void relu_kernel(const float *x, float *y, uint32_t N)
{
    for (uint32_t n = 0; n < N; n++)
        y[n] = x[n] > 1e-3f ? x[n] : 0;
}
