/*--- ktwin
op   = "relu"
args = ["x", "y", { N = "u32" }]
---*/
// fault: wrong values
// pattern: every wrong element is zero
// What is below a millionth becomes zero as well.
#include <stdint.h>

void relu(const float *x, float *y, uint32_t N)
{
    for (uint32_t n = 0; n < N; n++)
        y[n] = x[n] > 1e-6f ? x[n] : 0.0f;
}
