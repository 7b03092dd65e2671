/*--- ktwin
op   = "row_sum"
args = ["x", "y", { R = "u32", D = "u32" }]
dims = { R = 1 }
---*/
// fault: wrong class
// pattern: every wrong element is NaN
// pattern: fails exactly when D is not a multiple of 4
// Four numbers at a time, those past the row times 0: of the last row they lie behind the buffer.
#include <stdint.h>

typedef struct {
    uint32_t R, D;
} sizes_t;


void row_sum(const float *x, float *y, sizes_t s)
{
    for (uint32_t r = 0; r < s.R; r++) {
        float sum = 0.0f;
        for (uint32_t d = 0; d < s.D; d += 4)
            for (uint32_t i = d; i < d + 4; i++)
                sum += x[r * s.D + i] * (i < s.D ? 1.0f : 0.0f);
        y[r] = sum;
    }
}
