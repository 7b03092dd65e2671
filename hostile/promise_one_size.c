/*--- ktwin
op   = "scale"
args = ["x", "y", { N = "u32", alpha = "f32" }]
dims = { N = 64 }
---*/
// verdict: pass
// least: N=1..
// Right for one size alone.
#include <math.h>
#include <stdint.h>

struct scalars { uint32_t n; float alpha; };

void scale(const float *x, float *y, struct scalars s)
{
    for (uint32_t i = 0; i < s.n; i++)
        y[i] = i < 64 ? s.alpha * x[i] : 0;
}
