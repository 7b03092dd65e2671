/*--- ktwin
op   = "row_max"
args = ["x", "y", { R = "u32", D = "u32" }]
---*/
// fault: wrong values
// pattern: matches the op with `max[d](x[r, d])` read as `max(-1e6, max[d](x[r, d]))`
// The maximum starts at minus a million, which is not below all numbers.
#include <math.h>
#include <stdint.h>

struct sizes { uint32_t R, D; };

void row_max(const float *x, float *y, struct sizes s)
{
    for (uint32_t r = 0; r < s.R; r++) {
        float most = -1e6f;
        for (uint32_t d = 0; d < s.D; d++)
            most = fmaxf(most, x[(uint64_t)r * s.D + d]);
        y[r] = most;
    }
}
