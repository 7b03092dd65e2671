/*--- ktwin
op    = "max"
types = { x = "i32", y = "i32" }
args  = ["x", "y", { N = "u32" }]
---*/
// fault: wrong values
// pattern: every wrong element has the wrong sign
// numbers are compared by their difference, which wraps around where they are far apart
#include <stdint.h>

void largest(const int32_t *x, int32_t *y, uint32_t N)
{
    int32_t top = x[0];
    for (uint32_t n = 1; n < N; n++)
        if ((int32_t)((uint32_t)x[n] - (uint32_t)top) > 0)
            top = x[n];
    *y = top;
}
