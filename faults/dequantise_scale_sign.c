/*--- ktwin
op      = "dequantise"
types   = { x = "q8_0" }
compute = "f32"
args    = ["x", "y", { R = "u32", K = "u32" }]
dims    = { K = "multiple of 32" }
---*/
// fault: wrong values
// pattern: every wrong element has the wrong sign
// A negative scale loses its sign
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
    uint32_t blocks = s.K / 32;
    for (uint32_t r = 0; r < s.R; r++)
        for (uint32_t b = 0; b < blocks; b++) {
            const uint8_t *p = x + ((size_t)r * blocks + b) * 34;
            float scale = fabsf(from_half(half_at(p)));
            for (int i = 0; i < 32; i++)
                y[(size_t)r * s.K + b * 32 + i] = scale * (float)(int8_t)p[2 + i];
        }
}
