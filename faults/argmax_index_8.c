/*--- ktwin
op      = "argmax"
compute = "f32"
args    = ["x", "y", { N = "u32" }]
---*/
// fault: wrong values
// pattern: every element is the right one as u8 keeps it
// the index is kept in 8 bits
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

void argmax_kernel(const float *x, uint32_t *y, uint32_t N)
{
    uint8_t best = 0;
    float top = x[0];
    for (uint32_t n = 1; n < N; n++)
        if (x[n] > top) {
            top = x[n];
            best = (uint8_t)n;
        }
    *y = best;
}
