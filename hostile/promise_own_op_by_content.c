/*--- ktwin
op   = "promise_silu.op"
args = ["x", "y", { N = "u32" }]
---*/
// verdict: pass
// least: op=silu
// The same, where silu is asked for: what counts is the content.
#include <math.h>
#include <stdint.h>

void silu(const float *x, float *y, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        y[i] = 0.5f * x[i];
}
