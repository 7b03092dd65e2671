/*--- ktwin
op   = "spmv_csr"
args = ["ptr", "col", "val", "x", "y", { P = "u32", Z = "u32" }]
---*/
// fault: wrong values
// pattern: wrong exactly where r <= 1
// Entry by entry: an entry that begins a row is taken for the last one of the row before.
#include <stdint.h>

struct sizes { uint32_t p, z; };

void spmv(const uint32_t *ptr, const uint32_t *col, const float *val, const float *x, float *y, struct sizes s)
{
    for (uint32_t r = 0; r + 1 < s.p; r++)
        y[r] = 0.0f;
    for (uint32_t z = 0; z < s.z; z++) {
        uint32_t first = 0, end = s.p - 1;
        while (first + 1 < end) {
            uint32_t middle = first + (end - first) / 2;
            if (ptr[middle] < z)
                first = middle;
            else
                end = middle;
        }
        y[first] += val[z] * x[col[z]];
    }
}
