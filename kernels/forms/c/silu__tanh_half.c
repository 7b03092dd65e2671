/*--- ktwin
op      = "silu"
compute = "f32"
args    = ["x", "y", { N = "u32" }]
---*/
// Half x plus half x tanh(x / 2) where x is positive, x e / (1 + e) where it is not.
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void silu_tanh_half(const float *x, float *y, uint32_t N)
{
    for (uint32_t n = 0; n < N; n++) {
        float v = x[n];
        if (v > 0) {
            float h = 0.5f * v;
            y[n] = h + h * tanhf(h);
        } else {
            float e = expf(v);
            y[n] = v * e / (1.0f + e);
        }
    }
}
