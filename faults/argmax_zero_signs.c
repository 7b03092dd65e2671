/*--- ktwin
op   = "argmax"
args = ["x", "y", { N = "u32" }]
---*/
// fault: wrong values
// pattern: every wrong element is the place of another of equal elements: ties are broken differently
// keys order by bits, so that 0 is above -0, though both are equal and the first should win
#include <stdint.h>
#include <string.h>

static uint32_t key(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    if (x != x)
        return UINT32_MAX;
    return bits >> 31 ? ~bits : bits | 0x80000000u;
}

void argmax(const float *x, uint32_t *y, uint32_t N)
{
    uint32_t best = 0;
    for (uint32_t n = 1; n < N; n++)
        if (key(x[n]) > key(x[best]))
            best = n;
    *y = best;
}
