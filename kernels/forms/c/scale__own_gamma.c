/*--- ktwin
op      = "scale"
compute = "f32"
entry   = "scale_own_gamma"
args    = ["x", "y", { N = "u32" }, { alpha = "f32" }]
---*/
// A function of its own with a name that the C library has as well.
#include <stdint.h>

float gamma(float alpha, float x) { return alpha * x; }

void scale_own_gamma(const float *x, float *y, uint32_t N, float alpha)
{
    for (uint32_t n = 0; n < N; n++)
        y[n] = gamma(alpha, x[n]);
}
