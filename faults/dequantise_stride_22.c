/*--- ktwin
op      = "dequantise"
types   = { x = "q5_1" }
compute = "f32"
args    = ["x", "y", { R = "u32", K = "u32" }]
dims    = { K = "multiple of 32" }
---*/
// fault: wrong values
// pattern: wrong exactly where k >= 32
// blocks taken as 22 bytes, as those without a minimum
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct {
    uint32_t R;
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

static uint16_t half_at(const uint8_t *p)
{
    return (uint16_t)(p[0] | p[1] << 8);
}

void dequantise_kernel(const uint8_t *x, float *y, scalars s)
{
    size_t row = s.K / 32 * 24;
    for (uint32_t r = 0; r < s.R; r++)
        for (uint32_t k = 0; k < s.K; k++) {
            const uint8_t *p = x + r * row + k / 32 * 22;
            uint32_t i = k % 32, high = p[4 + i / 8] >> i % 8 & 1;
            uint32_t q = (i < 16 ? p[8 + i] & 15 : p[8 + i - 16] >> 4) | high << 4;
            y[(size_t)r * s.K + k] = (float)q * from_half(half_at(p)) + from_half(half_at(p + 2));
        }
}
