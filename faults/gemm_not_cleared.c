/*--- ktwin
op      = "gemm"
types   = { a = "f16", b = "f16" }
compute = "f32"
args    = ["a", "b", "c", { M = "u32", N = "u32", K = "u32" }]
tile    = { K = 64, N = 32 }
---*/
// fault: not repeatable
// pattern: right if c holds zeros before the launch: the kernel adds to what is there, or never sets it
// Sums begin with whatever lies in the result.
#include <math.h>
#include <stddef.h>
#include <stdint.h>

enum { KB = 64, NB = 32 };

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

static uint32_t smaller(uint32_t x, uint32_t y)
{
    return x < y ? x : y;
}

static void panel(const uint16_t *a, float b[KB][NB], float *c, scalars s, uint32_t k0, uint32_t n0)
{
    uint32_t ks = smaller(KB, s.K - k0), ns = smaller(NB, s.N - n0);
    for (uint32_t m = 0; m < s.M; m++) {
        float *row = c + (size_t)m * s.N + n0;
        for (uint32_t k = 0; k < ks; k++) {
            float x = from_half(a[(size_t)m * s.K + k0 + k]);
            for (uint32_t n = 0; n < ns; n++)
                row[n] += x * b[k][n];
        }
    }
}

void gemm_f16(const uint16_t *a, const uint16_t *b, float *c, scalars s)
{
    float wide[KB][NB];
    for (uint32_t n0 = 0; n0 < s.N; n0 += NB)
        for (uint32_t k0 = 0; k0 < s.K; k0 += KB) {
            for (uint32_t k = 0; k < KB && k0 + k < s.K; k++)
                for (uint32_t n = 0; n < NB && n0 + n < s.N; n++)
                    wide[k][n] = from_half(b[(size_t)(k0 + k) * s.N + n0 + n]);
            panel(a, wide, c, s, k0, n0);
        }
}
