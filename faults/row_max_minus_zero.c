/*--- ktwin
op   = "row_max"
args = ["x", "y", { R = "u32", D = "u32" }]
---*/
// fault: wrong values
// pattern: right if x holds no minus zero
// Bits are put in the order of numbers, but for -0.0, which comes below all of them.
#include <stdint.h>
#include <string.h>

typedef struct {
    uint32_t R, D;
} sizes;

static int32_t key(float x)
{
    int32_t bits;
    memcpy(&bits, &x, 4);
    return bits >= 0 || bits == INT32_MIN ? bits : INT32_MIN - bits;
}

void row_max(const float *x, float *y, sizes s)
{
    for (uint32_t r = 0; r < s.R; r++, x += s.D) {
        float best = x[0];
        for (uint32_t d = 1; d < s.D; d++)
            if (key(x[d]) > key(best))
                best = x[d];
        y[r] = best;
    }
}
