/*--- ktwin
op   = "spmv_csr"
args = ["ptr", "col", "val", "x", "y", { R = "u32" }]
---*/
// fault: wrong class
// pattern: every wrong element is NaN
// Rows are filled up to whole pairs with 0 times the first element of x, which is NaN where that is not finite.
#include <stdint.h>

void spmv(const uint32_t *ptr, const uint32_t *col, const float *val, const float *x, float *y, uint32_t R)
{
    for (uint32_t r = 0; r < R; r++) {
        float sum = 0.0f;
        for (uint32_t z = ptr[r]; z < ptr[r + 1]; z += 2) {
            int both = z + 1 < ptr[r + 1];
            sum += val[z] * x[col[z]];
            sum += (both ? val[z + 1] : 0.0f) * x[both ? col[z + 1] : 0];
        }
        y[r] = sum;
    }
}
