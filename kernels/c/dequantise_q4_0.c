/*--- ktwin
op      = "dequantise"
types   = { x = "q4_0" }
compute = "f32"
args    = ["x", "y", { R = "u32", K = "u32" }]
dims    = { K = "multiple of 32" }
---*/
// Blocks of 18 bytes: a scale (f16), then numbers i and i + 16 in the halves of byte i.
#include <math.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
    uint32_t R, K;
} scalars;

// f16 to f32, exactly: C has no type for halves that every compiler knows.
static float from_half(uint16_t h)
{
    float size = (h & 0x7c00) == 0x7c00 ? ((h & 0x3ff) ? NAN : INFINITY)
               : (h & 0x7c00) == 0      ? ldexpf((float)(h & 0x3ff), -24)
                                        : ldexpf((float)((h & 0x3ff) | 0x400), (h >> 10 & 0x1f) - 25);
    return (h & 0x8000) ? -size : size;
}

void dequantise_q4_0(const uint8_t *x, float *y, scalars s)
{
    size_t blocks = (size_t)s.R * s.K / 32;
    for (size_t b = 0; b < blocks; b++, x += 18, y += 32) {
        float scale = from_half((uint16_t)(x[0] | x[1] << 8));
        for (int i = 0; i < 16; i++) {
            y[i] = (float)((x[2 + i] & 15) - 8) * scale;
            y[i + 16] = (float)((x[2 + i] >> 4) - 8) * scale;
        }
    }
}
