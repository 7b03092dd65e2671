/*--- ktwin
op   = "relu"
args = ["x", "y", { N = "u32" }]
---*/
// fault: unwritten elements
// pattern: every wrong element was never written
// The index has 16 bits: what stands past 65536 elements is never reached.
#include <stdint.h>

void relu(const float *x, float *y, uint32_t N)
{
    for (uint32_t n = 0; n < N && n <= 65535; n++)
        y[n] = x[n] > 0.0f ? x[n] : 0.0f;
}
