/*--- ktwin
op   = "nonzero"
args = ["x", "at", "count", { N = "u32" }]
---*/
// fault: wrong values
// pattern: right if x holds no minus zero
// a negative zero counts, since its bits are not zero
#include <stdint.h>

void nonzero(const uint32_t *x, uint32_t *at, uint32_t *count, uint32_t N)
{
    uint32_t kept = 0;
    for (uint32_t n = 0; n < N; n++)
        if (x[n])
            at[kept++] = n;
    *count = kept;
}
