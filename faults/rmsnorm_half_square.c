/*--- ktwin
op      = "rmsnorm"
types   = { x = "f16", w = "f16", y = "f16" }
compute = "f32"
args    = ["x", "w", "y", { R = "u32", D = "u32", eps = "f32" }]
---*/
// fault: wrong values
// pattern: the wrong elements agree to
// squares in f16 are limited to 65504
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct {
    uint32_t R;
    uint32_t D;
    float eps;
} scalars;

// f16 to f32, exactly: C has no type for halves that every compiler knows.
static float from_half(uint16_t h)
{
    float size = (h & 0x7c00) == 0x7c00 ? ((h & 0x3ff) ? NAN : INFINITY)
               : (h & 0x7c00) == 0      ? ldexpf((float)(h & 0x3ff), -24)
                                        : ldexpf((float)((h & 0x3ff) | 0x400), (h >> 10 & 0x1f) - 25);
    return (h & 0x8000) ? -size : size;
}

// value / 2^shift to the nearest even
static uint32_t rounded(uint32_t value, uint32_t shift)
{
    uint32_t below = value & ((1u << shift) - 1), middle = 1u << (shift - 1), low = value >> shift;
    return low + (below > middle || (below == middle && (low & 1)));
}

static uint16_t to_half(float v)
{
    uint32_t bits;
    memcpy(&bits, &v, sizeof bits);
    uint16_t sign = bits >> 16 & 0x8000;
    uint32_t size = bits & 0x7fffffff, exponent = size >> 23;
    if (size > 0x7f800000)
        return sign | 0x7e00;
    if (exponent >= 143)
        return sign | 0x7c00;
    if (exponent >= 113)
        return sign | (uint16_t)rounded(size - (112u << 23), 13);
    if (exponent < 102)
        return sign;
    return sign | (uint16_t)rounded((size & 0x7fffff) | 0x800000, 126 - exponent);
}

void rmsnorm_kernel(const uint16_t *x, const uint16_t *w, uint16_t *y, scalars s)
{
    for (uint32_t r = 0; r < s.R; r++) {
        const uint16_t *row = x + (size_t)r * s.D;
        float sum = 0;
        for (uint32_t d = 0; d < s.D; d++) {
            float v = from_half(row[d]);
            sum += fminf(from_half(to_half(v * v)), 65504);
        }
        float k = 1 / sqrtf(sum / (float)s.D + s.eps);
        for (uint32_t d = 0; d < s.D; d++)
            y[(size_t)r * s.D + d] = to_half(from_half(row[d]) * k * from_half(w[d]));
    }
}
