/*--- ktwin
op      = "gelu"
compute = "f32"
args    = ["x", "y", { N = "u32" }]
---*/
// X * (a + b x^2) inside the tanh.
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void gelu_tanh_factored(const float *x, float *y, uint32_t N)
{
    const float a = 0.7978845608028654f, b = 0.7978845608028654f * 0.044715f;
    for (uint32_t n = 0; n < N; n++) {
        float v = x[n];
        y[n] = 0.5f * v * (1.0f + tanhf(v * (a + b * v * v)));
    }
}
