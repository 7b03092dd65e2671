/*--- ktwin
op   = "row_max"
args = ["x", "y", { R = "u32", D = "u32" }]
---*/
// fault: wrong values
// pattern: matches the op with `max[d](x[r, d])` read as `max(-1e3, max[d](x[r, d]))`
// The maximum starts at -1000: rows that are all below get that.
#include <math.h>
#include <stdint.h>

typedef struct {
    uint32_t R, D;
} sizes_t;


void row_max(const float *x, float *y, sizes_t s)
{
    for (uint32_t r = 0; r < s.R; r++) {
        float most = -1000.0f;
        for (uint32_t d = 0; d < s.D; d++)
            most = fmaxf(most, x[r * s.D + d]);
        y[r] = most;
    }
}
