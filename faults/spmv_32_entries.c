/*--- ktwin
op   = "spmv_csr"
args = ["ptr", "col", "val", "x", "y", { P = "u32" }]
---*/
// fault: wrong values
// pattern: fails only where Z >= 33, in 17 of 40 such cases
// No more than 32 entries of a row are added.
#include <stdint.h>


void spmv_csr(const uint32_t *ptr, const uint32_t *col, const float *val, const float *x, float *y, uint32_t P)
{
    for (uint32_t r = 0; r + 1 < P; r++) {
        uint32_t end = ptr[r + 1] > ptr[r] + 32 ? ptr[r] + 32 : ptr[r + 1];
        float sum = 0.0f;
        for (uint32_t z = ptr[r]; z < end; z++)
            sum += val[z] * x[col[z]];
        y[r] = sum;
    }
}
