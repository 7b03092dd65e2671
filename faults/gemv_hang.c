/*--- ktwin
op      = "gemv"
types   = { w = "f16" }
compute = "f32"
args    = ["w", "x", "y", { N = "u32", K = "u32" }]
tile    = { K = 4 }
---*/
// fault: hang
// pattern: none
// The last loop never counts on where K is no multiple of 4.
#include <math.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
    uint32_t N, K;
} scalars;

// f16 to f32, exactly: C has no type for halves that every compiler knows.
static float from_half(uint16_t h)
{
    float size = (h & 0x7c00) == 0x7c00 ? ((h & 0x3ff) ? NAN : INFINITY)
               : (h & 0x7c00) == 0      ? ldexpf((float)(h & 0x3ff), -24)
                                        : ldexpf((float)((h & 0x3ff) | 0x400), (h >> 10 & 0x1f) - 25);
    return (h & 0x8000) ? -size : size;
}

void gemv_f16(const uint16_t *w, const float *x, float *y, scalars s)
{
    for (uint32_t n = 0; n < s.N; n++) {
        const uint16_t *row = w + (size_t)n * s.K;
        float part[4] = {0};
        uint32_t k = 0;
        for (; k + 4 <= s.K; k += 4)
            for (uint32_t i = 0; i < 4; i++)
                part[i] += from_half(row[k + i]) * x[k + i];
        for (volatile uint32_t left = k; left < s.K;)
            part[0] += from_half(row[k]) * x[k];
        y[n] = (part[0] + part[1]) + (part[2] + part[3]);
    }
}
