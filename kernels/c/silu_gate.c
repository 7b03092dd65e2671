/*--- ktwin
op      = "silu_gate"
compute = "f32"
args    = ["g", "u", "y", { N = "u32" }]
---*/
// Straight from the formula; where the exponential overflows, the sigmoid is rightly 0.
#include <math.h>
#include <stdint.h>

void silu_gate(const float *g, const float *u, float *y, uint32_t N)
{
    for (uint32_t n = 0; n < N; n++)
        y[n] = g[n] * (1.0f / (1.0f + expf(-g[n]))) * u[n];
}
