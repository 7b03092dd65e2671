/*--- ktwin
op      = "exp"
compute = "f32"
args    = ["x", "y", { N = "u32" }]
---*/
// fault: wrong values
// pattern: every wrong element is 4.852e8
// the argument is limited to 20
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

void exp_kernel(const float *x, float *y, uint32_t N)
{
    for (uint32_t n = 0; n < N; n++) {
        float v = x[n];
        y[n] = expf(v > 20 ? 20 : v);
    }
}
