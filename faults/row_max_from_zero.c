/*--- ktwin
op   = "row_max"
args = ["x", "y", { R = "u32", D = "u32" }]
dims = { D = "2.." }
---*/
// fault: wrong values
// pattern: matches the op with `max[d](x[r, d])` read as `max(0, max[d](x[r, d]))`
// pattern: every wrong element is zero
// The maximum starts at 0: rows that are all below zero get 0.
#include <math.h>
#include <stdint.h>

typedef struct {
    uint32_t R, D;
} sizes_t;

void row_max(const float *x, float *y, sizes_t s)
{
    for (uint32_t r = 0; r < s.R; r++) {
        float most = 0.0f;
        for (uint32_t d = 0; d < s.D; d++)
            most = fmaxf(most, x[r * s.D + d]);
        y[r] = most;
    }
}
