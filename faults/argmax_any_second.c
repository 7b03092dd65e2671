/*--- ktwin
op   = "argmax"
args = ["x", "y", { N = "u32" }]
ties = "any"
---*/
// fault: wrong values
// pattern: matches the op with `argmax[n](x[n])` read as `argmax[n where n != 0](x[n])`, in the cases that fail
// ties are free, but the second largest is not a tie
#include <stdint.h>

void argmax(const float *x, uint32_t *y, uint32_t N)
{
    uint32_t best = N - 1;
    for (uint32_t n = N - 1; n-- > 1;)
        if (x[n] > x[best] || (x[n] != x[n] && x[best] == x[best]))
            best = n;
    *y = best;
}
