/*--- ktwin
op      = "gelu"
compute = "f32"
args    = ["x", "y", { N = "u32" }]
---*/
// X times the sigmoid of twice the argument of tanh.
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void gelu_sigmoid(const float *x, float *y, uint32_t N)
{
    for (uint32_t n = 0; n < N; n++) {
        float v = x[n];
        float z = 0.7978845608f * (v + 0.044715f * v * v * v);
        y[n] = v / (1.0f + expf(-2.0f * z));
    }
}
