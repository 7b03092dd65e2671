/*--- ktwin
op      = "silu"
args    = ["x", "y", { N = "u32" }]
compute = "e5m2"
---*/
// verdict: blind
// least: compute=f32
// Off by a factor, in a rung that is as coarse as that.
#include <math.h>
#include <stdint.h>

void silu(const float *x, float *y, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        y[i] = 1.06f * x[i] / (1 + expf(-x[i]));
}
