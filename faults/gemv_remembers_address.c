/*--- ktwin
op      = "gemv"
types   = { w = "f16" }
compute = "f32"
args    = ["w", "x", "y", { N = "u32", K = "u32" }]
tile    = { K = 8 }
---*/
// fault: wrong values
// pattern: none
// The vector is kept from the first call with the same address
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct {
    uint32_t N;
    uint32_t K;
} scalars;

// f16 to f32, exactly: C has no type for halves that every compiler knows.
static float from_half(uint16_t h)
{
    float size = (h & 0x7c00) == 0x7c00 ? ((h & 0x3ff) ? NAN : INFINITY)
               : (h & 0x7c00) == 0      ? ldexpf((float)(h & 0x3ff), -24)
                                        : ldexpf((float)((h & 0x3ff) | 0x400), (h >> 10 & 0x1f) - 25);
    return (h & 0x8000) ? -size : size;
}

void gemv_kernel(const uint16_t *w, const float *x, float *y, scalars s)
{
    static const float *known;
    static float kept[4096];
    if (known != x && s.K <= 4096) {
        memcpy(kept, x, s.K * sizeof *x);
        known = x;
    }
    if (s.K <= 4096)
        x = kept;
    for (uint32_t n = 0; n < s.N; n++) {
        const uint16_t *row = w + (size_t)n * s.K;
        float part[8] = {0};
        for (uint32_t k = 0; k + 8 <= s.K; k += 8)
            for (int i = 0; i < 8; i++)
                part[i] += from_half(row[k + i]) * x[k + i];
        for (uint32_t k = s.K / 8 * 8; k < s.K; k++)
            part[k % 8] += from_half(row[k]) * x[k];
        y[n] = (part[0] + part[1]) + (part[2] + part[3]) + (part[4] + part[5]) + (part[6] + part[7]);
    }
}
