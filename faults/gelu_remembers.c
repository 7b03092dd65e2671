/*--- ktwin
op      = "gelu"
compute = "f32"
args    = ["x", "y", { N = "u32" }]
---*/
// fault: not repeatable
// pattern: the wrong elements agree to
// A static variable survives the call, so that the second run begins with another number.
#include <math.h>
#include <stdint.h>

void gelu(const float *x, float *y, uint32_t N)
{
    const float root_2_pi = 0.7978845608028654f;
    static float carried = 0;
    for (uint32_t n = 0; n < N; n++) {
        float v = x[n] + carried;
        carried = 1e-4f;
        y[n] = 0.5f * v * (1.0f + tanhf(root_2_pi * (v + 0.044715f * v * v * v)));
    }
}
