/*--- ktwin
op      = "gelu"
compute = "f32"
args    = ["x", "y", { N = "u32" }]
---*/
// fault: wrong values
// pattern: the wrong elements agree to
// the exponential in f16
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

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

void gelu_kernel(const float *x, float *y, uint32_t N)
{
    for (uint32_t n = 0; n < N; n++) {
        float v = x[n];
        float u = 0.79788456f * v * (1 + 0.044715f * v * v);
        y[n] = v * (1 - 1 / (from_half(to_half(expf(fminf(2 * u, 11)))) + 1));
    }
}
