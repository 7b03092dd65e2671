/*--- ktwin
op      = "convert"
types   = { x = "f32", y = "f16" }
compute = "f32"
args    = ["x", "y", { N = "u32" }]
nan     = "propagate"
---*/
// fault: wrong values
// pattern: every element is the right one rounded to the nearest, ties away from zero
// Ties are rounded away from zero instead of to even (one unit in the last place)
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

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

void convert_kernel(const float *x, uint16_t *y, uint32_t N)
{
    for (uint32_t n = 0; n < N; n++) {
        uint32_t b;
        memcpy(&b, &x[n], 4);
        uint32_t e = b >> 23 & 255;
        if (e >= 113 && e < 142) {
            b += 0x1000;
            e = b >> 23 & 255;
            y[n] = (uint16_t)((b >> 16 & 0x8000) | (e - 112) << 10 | (b >> 13 & 0x3ff));
        } else
            y[n] = to_half(x[n]);
    }
}
