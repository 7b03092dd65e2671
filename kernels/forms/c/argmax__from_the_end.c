/*--- ktwin
op   = "argmax"
args = ["x", "y", { N = "u32" }]
---*/
// From the end to the beginning: of equal elements the later one gives way. Where all are NaN it stays at the end.
#include <stdint.h>

void argmax(const float *x, uint32_t *y, uint32_t n) {
    uint32_t best = n - 1;
    for (uint32_t i = n; i-- > 0;) {
        if (x[i] >= x[best]) {
            best = i;
        }
    }
    *y = best;
}
