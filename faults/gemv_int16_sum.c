/*--- ktwin
op      = "gemv"
types   = { w = "q8_0" }
compute = "f32"
args    = ["w", "x", "y", { N = "u32", K = "u32" }]
dims    = { K = "multiple of 32" }
---*/
// fault: wrong values
// pattern: none
// products of a block in fixed point of 16 bits, which overflows
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

static uint16_t half_at(const uint8_t *p)
{
    return (uint16_t)(p[0] | p[1] << 8);
}

void gemv_kernel(const uint8_t *w, const float *x, float *y, scalars s)
{
    uint32_t blocks = s.K / 32;
    for (uint32_t n = 0; n < s.N; n++) {
        float sum = 0;
        for (uint32_t b = 0; b < blocks; b++) {
            const uint8_t *p = w + ((size_t)n * blocks + b) * 34;
            const float *v = x + b * 32;
            int16_t part = 0;
            for (int i = 0; i < 32; i++)
                part = (int16_t)(part + (int16_t)lrintf((float)(int8_t)p[2 + i] * v[i] * 64));
            sum += (float)part / 64 * from_half(half_at(p));
        }
        y[n] = sum;
    }
}
