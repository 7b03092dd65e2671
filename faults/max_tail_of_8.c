/*--- ktwin
op      = "max"
compute = "f32"
args    = ["x", "y", { N = "u32" }]
---*/
// fault: wrong values
// pattern: matches the op with `max[n](x[n])` read as `max[n where n < N // 8 * 8](x[n])`, in the cases that fail
// The last N % 8 elements are not looked at
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

void max_kernel(const float *x, float *y, uint32_t N)
{
    float top = -INFINITY;
    for (uint32_t n = 0; n < N / 8 * 8; n++)
        if (x[n] > top)
            top = x[n];
    if (N < 8)
        for (uint32_t n = 0; n < N; n++)
            top = fmaxf(top, x[n]);
    *y = top;
}
