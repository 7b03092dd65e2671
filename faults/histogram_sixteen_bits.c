/*--- ktwin
op   = "histogram"
args = ["x", "y", { N = "u32", B = "u32" }]
---*/
// fault: wrong values
// pattern: fails exactly when B >=
// Bins go through 16 bits: of more than 65536, the first are counted for the last.
#include <stdint.h>

typedef struct {
    uint32_t N, B;
} sizes_t;


void histogram(const uint32_t *x, uint32_t *y, sizes_t s)
{
    for (uint32_t b = 0; b < s.B; b++)
        y[b] = 0;
    for (uint32_t n = 0; n < s.N; n++)
        y[(uint16_t)x[n]] += 1;
}
