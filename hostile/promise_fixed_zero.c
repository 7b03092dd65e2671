/*--- ktwin
op   = "scale"
args = ["x", "y", { N = "u32" }]
fix  = { alpha = 0 }
---*/
// verdict: blind
// least: N=1..
// All is zero, and nobody can tell by what.
#include <stdint.h>

void scale(const float *x, float *y, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        y[i] = 0.0f * 1.5f + 0.0f * (x[i] > 0);
}
