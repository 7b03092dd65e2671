/*--- ktwin
op   = "argmax"
args = ["x", "y", { N = "u32" }]
ties = "any"
---*/
// From the end, so that of equal elements the last comes first.
#include <stdint.h>

void argmax(const float *x, uint32_t *y, uint32_t N)
{
    uint32_t best = N - 1;
    for (uint32_t n = N - 1; n-- > 0;)
        if (x[n] > x[best] || (x[n] != x[n] && x[best] == x[best]))
            best = n;
    *y = best;
}
