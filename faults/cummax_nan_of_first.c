/*--- ktwin
op   = "cummax"
args = ["x", "y", { R = "u32", D = "u32" }]
nan  = "propagate"
---*/
// fault: wrong class
// pattern: fails only on numbers with a NaN or an infinity among them
// A NaN comes out only where a row begins with it: no comparison with one is true.
#include <stddef.h>
#include <stdint.h>

typedef struct {
    uint32_t R;
    uint32_t D;
} scalars;

void cummax(const float *x, float *y, scalars s)
{
    for (uint32_t r = 0; r < s.R; r++) {
        const float *row = x + (size_t)r * s.D;
        float top = row[0];
        for (uint32_t d = 0; d < s.D; d++) {
            if (row[d] > top)
                top = row[d];
            y[(size_t)r * s.D + d] = top;
        }
    }
}
