/*--- ktwin
op   = "softmax"
args = ["x", "y", { R = "u32", D = "u32" }]
---*/
// fault: wrong class
// pattern: any
// The last element of a row is never the maximum.
#include <math.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
    uint32_t R, D;
} sizes;

void softmax(const float *x, float *y, sizes s)
{
    for (uint32_t r = 0; r < s.R; r++) {
        const float *row = x + (size_t)r * s.D;
        float top = row[0], total = 0;
        for (uint32_t d = 1; d + 1 < s.D; d++)
            if (row[d] > top)
                top = row[d];
        for (uint32_t d = 0; d < s.D; d++)
            total += expf(row[d] - top);
        for (uint32_t d = 0; d < s.D; d++)
            y[(size_t)r * s.D + d] = expf(row[d] - top) / total;
    }
}
