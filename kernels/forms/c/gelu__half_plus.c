/*--- ktwin
op      = "gelu"
compute = "f32"
args    = ["x", "y", { N = "u32" }]
---*/
// Half x plus half x tanh.
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void gelu_half_plus(const float *x, float *y, uint32_t N)
{
    for (uint32_t n = 0; n < N; n++) {
        const float v = x[n], h = 0.5f * v;
        y[n] = fmaf(h, tanhf(0.7978845608f * fmaf(0.044715f * v, v * v, v)), h);
    }
}
