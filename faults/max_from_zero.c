/*--- ktwin
op      = "max"
compute = "f32"
args    = ["x", "y", { N = "u32" }]
---*/
// fault: wrong values
// pattern: matches the op with `max[n](x[n])` read as `max(0, max[n](x[n]))`
// pattern: every wrong element is zero
// the maximum starts at 0
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

void max_kernel(const float *x, float *y, uint32_t N)
{
    float top = 0;
    for (uint32_t n = 0; n < N; n++)
        if (x[n] > top)
            top = x[n];
    *y = top;
}
