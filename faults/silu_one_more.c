/*--- ktwin
op      = "silu"
compute = "f32"
args    = ["x", "y", { N = "u32" }]
---*/
// fault: out of bounds
// pattern: none
// The loop writes one element behind the end.
#include <math.h>
#include <stdint.h>

void silu(const float *x, float *y, uint32_t N)
{
    for (uint32_t n = 0; n <= N; n++) {
        float e = expf(-fabsf(x[n]));
        y[n] = x[n] * (x[n] >= 0 ? 1.0f : e) / (1.0f + e);
    }
}
