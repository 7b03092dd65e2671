/*--- ktwin
op     = "silu"
args   = ["x", "y", { N = "u32" }]
policy = { use = "allclose:rtol=0.5,atol=1e-30", why = "half is near enough" }
---*/
// verdict: blind
// Its policy takes a kernel that is off by a third.
#include <math.h>

void silu(const float *x, float *y, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        y[i] = 0.7f * x[i] / (1 + expf(-x[i]));
}
