/*--- ktwin
op   = "argmax"
args = ["x", "y", { N = "u32" }]
---*/
// fault: wrong values
// pattern: every wrong element is the place of another of equal elements: ties are broken differently
// Lanes keep their first place, and of equal lanes the lower one wins, whatever its place.
#include <stdint.h>

enum { LANES = 256 };

void argmax(const float *x, uint32_t *y, uint32_t N)
{
    uint32_t best = 0;
    for (uint32_t lane = 0; lane < LANES && lane < N; lane++) {
        uint32_t own = lane;
        for (uint32_t n = lane; n < N; n += LANES)
            if (x[n] > x[own] || (x[n] != x[n] && x[own] == x[own]))
                own = n;
        if (lane == 0 || x[own] > x[best] || (x[own] != x[own] && x[best] == x[best]))
            best = own;
    }
    *y = best;
}
