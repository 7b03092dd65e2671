/*--- ktwin
op      = "quantise"
types   = { y = "q4_1" }
compute = "f32"
args    = ["x", "y", { R = "u32", K = "u32" }]
dims    = { K = "multiple of 32" }
---*/
// fault: wrong values
// pattern: in every wrong block the codes are the nearest for its scale and minimum: these do not fit its numbers
// the minimum is no more than 0: positive blocks lose their precision
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct {
    uint32_t R;
    uint32_t K;
} scalars;

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

void quantise_kernel(const float *x, uint8_t *y, scalars s)
{
    for (size_t b = 0; b < (size_t)s.R * s.K / 32; b++, x += 32, y += 20) {
        float lo = 0, hi = x[0];
        for (int i = 0; i < 32; i++) {
            lo = fminf(lo, x[i]);
            hi = fmaxf(hi, x[i]);
        }
        if (lo > 0)
            lo = 0;
        float scale = (hi - lo) / 15;
        uint16_t h[2] = { to_half(scale), to_half(lo) };
        memcpy(y, h, 4);
        for (int i = 0; i < 16; i++) {
            int a = scale > 0 ? (int)rintf((x[i] - lo) / scale) : 0;
            int c = scale > 0 ? (int)rintf((x[i + 16] - lo) / scale) : 0;
            y[4 + i] = (uint8_t)(a | c << 4);
        }
    }
}
