/*--- ktwin
op   = "relu"
args = ["x", "y", { N = "u32" }]
---*/
// fault: crash
// pattern: none
// Everything is right, and then something is written far behind the output.
#include <stdint.h>

void relu(const float *x, float *y, uint32_t N)
{
    for (uint32_t n = 0; n < N; n++)
        y[n] = x[n] > 0.0f ? x[n] : 0.0f;
    y[N + 5000] = 1.0f;
}
