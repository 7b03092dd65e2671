/*--- ktwin
op   = "row_sum"
args = ["x", "y", { R = "u32" }, { D = "u32" }]
nan  = "never"
---*/
// verdict: pass
// least: nan=isolate
// Sums as differences of running ones: a NaN in one row spoils all that follow.
#include <stdint.h>

void row_sums(const float *x, float *y, uint32_t rows, uint32_t width)
{
    double running = 0.0;
    for (uint32_t row = 0; row < rows; row++) {
        const double before = running;
        for (uint32_t i = 0; i < width; i++)
            running += x[(uint64_t)row * width + i];
        y[row] = (float)(running - before);
    }
}
