/*--- ktwin
op      = "gelu_erf"
compute = "f32"
args    = ["x", "y", { N = "u32" }]
---*/
// fault: wrong values
// pattern: the wrong elements agree to
// erf by a formula of three terms with an error of 2.5e-5
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static float erf_approx(float v)
{
    float a = fabsf(v), t = 1 / (1 + 0.47047f * a);
    float r = 1 - t * (0.3480242f + t * (-0.0958798f + t * 0.7478556f)) * expf(-a * a);
    return v < 0 ? -r : r;
}

void gelu_erf_kernel(const float *x, float *y, uint32_t N)
{
    for (uint32_t n = 0; n < N; n++)
        y[n] = 0.5f * x[n] * (1 + erf_approx(x[n] / 1.41421356f));
}
