/*--- ktwin
op              = "row_sum"
args            = ["x", "y", { R = "u32", D = "u32" }]
batch_invariant = true
---*/
// fault: not batch invariant
// pattern: none
// Rows are summed from the front where there is one, from the back where there are several.
#include <stdint.h>

typedef struct {
    uint32_t R, D;
} sizes_t;

void row_sum(const float *x, float *y, sizes_t s)
{
    for (uint32_t r = 0; r < s.R; r++) {
        float sum = 0.0f;
        for (uint32_t d = 0; d < s.D; d++)
            sum += x[r * s.D + (s.R > 1 ? s.D - 1 - d : d)];
        y[r] = sum;
    }
}
