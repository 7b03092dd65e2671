/*--- ktwin
op      = "clamp"
compute = "f32"
args    = ["x", "y", { N = "u32", lo = "f32", hi = "f32" }]
---*/
// fault: wrong values
// pattern: wrong exactly where x[n] < lo
// only the upper limit acts
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct {
    uint32_t N;
    float lo;
    float hi;
} scalars;

void clamp_kernel(const float *x, float *y, scalars s)
{
    for (uint32_t n = 0; n < s.N; n++) {
        float v = x[n];
        y[n] = v > s.hi ? s.hi : v;
    }
}
