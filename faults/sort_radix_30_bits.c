/*--- ktwin
op    = "sort"
types = { x = "u32", y = "u32" }
args  = ["x", "y", { N = "u32" }]
dims  = { N = "..=4096" }
---*/
// fault: wrong values
// pattern: any
// Ten passes over digits of three bits sort by thirty of the 32 bits.
#include <stdint.h>
#include <string.h>

void sort(const uint32_t *x, uint32_t *y, uint32_t N)
{
    uint32_t a[4096], b[4096];
    memcpy(a, x, 4 * N);
    for (int pass = 0; pass < 10; pass++) {
        uint32_t count[9] = {0};
        for (uint32_t n = 0; n < N; n++)
            count[(a[n] >> 3 * pass & 7) + 1]++;
        for (int d = 0; d < 8; d++)
            count[d + 1] += count[d];
        for (uint32_t n = 0; n < N; n++)
            b[count[a[n] >> 3 * pass & 7]++] = a[n];
        memcpy(a, b, 4 * N);
    }
    memcpy(y, a, 4 * N);
}
