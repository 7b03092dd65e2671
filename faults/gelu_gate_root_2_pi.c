/*--- ktwin
op      = "gelu_gate"
compute = "f32"
args    = ["g", "u", "y", { N = "u32" }]
---*/
// fault: wrong values
// pattern: matches the op with `sqrt(2 / pi)` read as `0.7979`
// sqrt(2 / pi) as 0.7979
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

void gelu_gate_kernel(const float *g, const float *u, float *y, uint32_t N)
{
    for (uint32_t n = 0; n < N; n++) {
        float v = g[n], w = u[n];
        float t = tanhf(0.7979f * (v + 0.044715f * v * v * v));
        y[n] = 0.5f * v * (1 + t) * w;
    }
}
