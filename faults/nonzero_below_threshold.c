/*--- ktwin
op   = "nonzero"
args = ["x", "at", "count", { N = "u32" }]
---*/
// fault: wrong values
// pattern: count: every wrong element is zero
// what lies below 1e-30 counts as zero
#include <math.h>
#include <stdint.h>

void nonzero(const float *x, uint32_t *at, uint32_t *count, uint32_t n)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < n; i++)
        if (!(fabsf(x[i]) <= 1e-30f))
            at[found++] = i;
    *count = found;
}
