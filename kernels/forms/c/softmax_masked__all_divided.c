/*--- ktwin
op   = "softmax_masked"
args = ["x", "mask", "y", { R = "u32" }, { D = "u32" }]
---*/
// What is masked is 0 before the row is divided by its total, so a NaN in the row makes it NaN as well.
#include <math.h>
#include <stddef.h>
#include <stdint.h>

void softmax_masked(const float *x, const uint32_t *mask, float *y, uint32_t rows, uint32_t width)
{
    for (uint32_t r = 0; r < rows; r++, x += width, mask += width, y += width) {
        float top = -INFINITY, total = 0;
        for (uint32_t d = 0; d < width; d++)
            if (mask[d])
                top = fmaxf(top, x[d]);
        for (uint32_t d = 0; d < width; d++)
            total += y[d] = mask[d] ? expf(x[d] - top) : 0;
        for (uint32_t d = 0; d < width; d++)
            y[d] = total == 0 ? 0 : y[d] / total;
    }
}
