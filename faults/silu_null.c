/*--- ktwin
op      = "silu"
compute = "f32"
args    = ["x", "y", { N = "u32" }]
---*/
// fault: crash
// pattern: none
// A table that was never made is read.
#include <math.h>
#include <stdint.h>

static float *table;

void silu(const float *x, float *y, uint32_t N)
{
    for (uint32_t n = 0; n < N; n++) {
        float e = expf(-fabsf(x[n]));
        y[n] = table[n] + x[n] * (x[n] >= 0 ? 1.0f : e) / (1.0f + e);
    }
}
