/*--- ktwin
op      = "gemm_nt"
types   = { a = "q8_1", b = "q5_0" }
compute = "f32"
args    = ["a", "b", "c", { M = "u32", N = "u32", K = "u32" }]
dims    = { K = "multiple of 32" }
---*/
// Products are summed in whole numbers, block by block. A block of a is 36 bytes: a scale and a sum (f16),
// then 32 signed bytes. A block of b is 22 bytes: a scale (f16), the fifth bits of 32 weights, then the low
// bits of weights i and i + 16 in the halves of byte i; each weight is 16 too large.
#include <math.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
    uint32_t M, N, K;
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

// weight j: four bits from its byte, the fifth from a word of 32
static int32_t weight(const uint8_t *pairs, const uint8_t *fifth, int j)
{
    int32_t low = j < 16 ? pairs[j] & 15 : pairs[j - 16] >> 4;
    return low | (fifth[j / 8] >> j % 8 & 1) << 4;
}

static float block_times(const uint8_t *w, const int8_t *q)
{
    int32_t sum = 0;
    for (int j = 0; j < 32; j++)
        sum += (weight(w + 6, w + 2, j) - 16) * q[j];
    return from_half(half_at(w)) * (float)sum;
}

void gemm_nt_q5_0_q8_1(const uint8_t *a, const uint8_t *b, float *c, scalars s)
{
    size_t blocks = s.K / 32;
    for (size_t m = 0; m < s.M; m++)
        for (size_t n = 0; n < s.N; n++) {
            float sum = 0;
            for (size_t k = 0; k < blocks; k++) {
                const uint8_t *x = a + (m * blocks + k) * 36;
                const uint8_t *w = b + (n * blocks + k) * 22;
                sum += from_half(half_at(x)) * block_times(w, (const int8_t *)(x + 4));
            }
            c[m * s.N + n] = sum;
        }
}
