/*--- ktwin
op   = "scale"
args = ["x", "y", { N = "u32" }]
fix  = { alpha = 1 }
---*/
// verdict: pass
// least: N=1..
// Right where there is nothing to do.
#include <math.h>
#include <stdint.h>

void scale(const float *x, float *y, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        y[i] = x[i];
}
