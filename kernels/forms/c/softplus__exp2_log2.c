/*--- ktwin
op      = "softplus"
compute = "f32"
args    = ["x", "y", { N = "u32" }]
---*/
// In powers of two for large distances, log1pf for small ones.
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void softplus_exp2_log2(const float *x, float *y, uint32_t N)
{
    for (uint32_t n = 0; n < N; n++) {
        float t = exp2f(-1.44269504f * fabsf(x[n]));
        float tail = t < 0.25f ? log1pf(t) : 0.693147181f * log2f(1.0f + t);
        y[n] = x[n] > 0 ? x[n] + tail : tail;
    }
}
