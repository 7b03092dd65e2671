/*--- ktwin
op      = "leaky_relu"
compute = "f32"
args    = ["x", "y", { N = "u32", slope = "f32" }]
---*/
// fault: wrong values
// pattern: every wrong element is -1
// the negative side is limited to -1
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct {
    uint32_t N;
    float slope;
} scalars;

void leaky_relu_kernel(const float *x, float *y, scalars s)
{
    for (uint32_t n = 0; n < s.N; n++) {
        float v = x[n];
        y[n] = v > 0 ? v : fmaxf(s.slope * v, -1);
    }
}
