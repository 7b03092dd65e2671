/*--- ktwin
op   = "nonzero"
args = ["x", "at", "count", { N = "u32" }]
---*/
// Every place is written where the next one belongs, and stays there if its element counts: no branch.
#include <stdint.h>

void nonzero(const float *x, uint32_t *at, uint32_t *count, uint32_t N)
{
    uint32_t kept = 0;
    for (uint32_t n = 0; n < N; n++) {
        at[kept] = n;
        kept += x[n] != 0.0f;
    }
    *count = kept;
}
