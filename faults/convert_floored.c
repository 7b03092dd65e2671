/*--- ktwin
op      = "convert"
types   = { x = "f32", y = "i32" }
compute = "f32"
args    = ["x", "y", { N = "u32" }]
---*/
// fault: wrong values
// pattern: every wrong element is off by a constant
// Rounded down: negative numbers are one too low
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

void convert_kernel(const float *x, int32_t *y, uint32_t N)
{
    for (uint32_t n = 0; n < N; n++)
        y[n] = (int32_t)floorf(x[n]);
}
