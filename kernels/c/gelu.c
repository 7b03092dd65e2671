/*--- ktwin
op      = "gelu"
compute = "f32"
args    = ["x", "y", { N = "u32" }]
---*/
// The usual approximation by the hyperbolic tangent, an element at a time.
#include <math.h>
#include <stdint.h>

void gelu(const float *x, float *y, uint32_t N)
{
    const float root_2_pi = 0.7978845608028654f;
    for (uint32_t n = 0; n < N; n++) {
        float v = x[n];
        y[n] = 0.5f * v * (1.0f + tanhf(root_2_pi * (v + 0.044715f * v * v * v)));
    }
}
