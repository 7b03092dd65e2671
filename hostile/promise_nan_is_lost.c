/*--- ktwin
op   = "clamp"
args = ["x", "y", { N = "u32", lo = "f32", hi = "f32" }]
---*/
// verdict: pass
// least: nan=propagate
// What is NaN becomes a number: right only as long as nothing is promised of NaN.
#include <math.h>
#include <stdint.h>

struct scalars { uint32_t n; float lo, hi; };

void clamp(const float *x, float *y, struct scalars s)
{
    for (uint32_t i = 0; i < s.n; i++)
        y[i] = fminf(s.hi, fmaxf(s.lo, x[i]));
}
