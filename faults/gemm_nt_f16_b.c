/*--- ktwin
op      = "gemm_nt"
compute = "f32"
args    = ["a", "b", "c", { M = "u32", N = "u32", K = "u32" }]
---*/
// fault: wrong values
// pattern: the wrong elements agree to
// b is rounded to f16
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct {
    uint32_t M;
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

void gemm_nt_kernel(const float *a, const float *b, float *c, scalars s)
{
    for (uint32_t m = 0; m < s.M; m++)
        for (uint32_t n = 0; n < s.N; n++) {
            const float *x = a + (size_t)m * s.K, *w = b + (size_t)n * s.K;
            float sum = 0;
            for (uint32_t k = 0; k < s.K; k++)
                sum += x[k] * from_half(to_half(w[k]));
            c[(size_t)m * s.N + n] = sum;
        }
}
