/*--- ktwin
op      = "gemm_nt"
types   = { a = "q8_1", b = "q4_1" }
compute = "f32"
args    = ["a", "b", "c", { M = "u32", N = "u32", K = "u32" }]
dims    = { K = "multiple of 32" }
---*/
// Products are summed in whole numbers, block by block. A block of a is 36 bytes: a scale and a sum (f16),
// then 32 signed bytes. A block of b is 20 bytes: a scale and a minimum (f16), then weights i and i + 16 in
// the halves of byte i. The minimum is met by every activation: it takes the sum that a's block keeps.
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

static int32_t products(const uint8_t *w, const int8_t *q)
{
    int32_t sum = 0;
    for (int i = 0; i < 16; i++)
        sum += (w[4 + i] & 15) * q[i] + (w[4 + i] >> 4) * q[16 + i];
    return sum;
}

void gemm_nt_q4_1_q8_1(const uint8_t *a, const uint8_t *b, float *c, scalars s)
{
    size_t blocks = s.K / 32;
    for (size_t m = 0; m < s.M; m++)
        for (size_t n = 0; n < s.N; n++) {
            float sum = 0;
            for (size_t k = 0; k < blocks; k++) {
                const uint8_t *x = a + (m * blocks + k) * 36;
                const uint8_t *w = b + (n * blocks + k) * 20;
                float scale = from_half(half_at(w)) * from_half(half_at(x));
                sum += scale * (float)products(w, (const int8_t *)(x + 4));
                sum += from_half(half_at(w + 2)) * from_half(half_at(x + 2));
            }
            c[m * s.N + n] = sum;
        }
}
