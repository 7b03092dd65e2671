/*--- ktwin
op   = "exp"
args = ["x", "y", { N = "u32" }]
---*/
// fault: wrong values
// pattern: every wrong element is zero
// what underflows only below -87.34 is zero from -87 on
#include <math.h>
#include <stdint.h>

void exp_guarded(const float *x, float *y, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        y[i] = x[i] < -87.0f ? 0.0f : expf(x[i]);
}
