/*--- ktwin
op   = "softmax"
args = ["x", "y", { R = "u32" }, { D = "u32" }]
---*/
// verdict: crash | fail
// Its buffer is as long as the first call wanted: later calls write over what lies after it.
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

void softmax(const float *x, float *y, uint32_t rows, uint32_t length) {
    static float *kept;
    if (!kept) kept = malloc((length + 64) * sizeof *kept);
    for (size_t r = 0; r < rows; r++, x += length, y += length) {
        float top = x[0], sum = 0;
        for (uint32_t d = 1; d < length; d++) top = fmaxf(top, x[d]);
        for (uint32_t d = 0; d < length; d++) sum += kept[d] = expf(x[d] - top);
        for (uint32_t d = 0; d < length; d++) y[d] = kept[d] / sum;
    }
}
