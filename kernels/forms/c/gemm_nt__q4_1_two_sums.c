/*--- ktwin
op      = "gemm_nt"
types   = { b = "q4_1" }
compute = "f32"
args    = ["a", "b", "c", { M = "u32", N = "u32", K = "u32" }]
dims    = { K = "multiple of 32" }
---*/
#include <math.h>
#include <stddef.h>
#include <stdint.h>
typedef struct { uint32_t M, N, K; } scalars;
static float from_half(uint16_t h)
{
    float size = (h & 0x7c00) == 0x7c00 ? ((h & 0x3ff) ? NAN : INFINITY)
               : (h & 0x7c00) == 0      ? ldexpf((float)(h & 0x3ff), -24)
                                        : ldexpf((float)((h & 0x3ff) | 0x400), (h >> 10 & 0x1f) - 25);
    return (h & 0x8000) ? -size : size;
}
static uint16_t half_at(const uint8_t *p) { return (uint16_t)(p[0] | p[1] << 8); }
void gemm_nt_q4_1(const float *a, const uint8_t *b, float *c, scalars s)
{
    size_t blocks = s.K / 32;
    for (size_t m = 0; m < s.M; m++)
        for (size_t n = 0; n < s.N; n++) {
            float sum = 0;
            for (size_t k = 0; k < blocks; k++) {
                const float *x = a + m * s.K + k * 32;
                const uint8_t *w = b + (n * blocks + k) * 20;
                float qx = 0, sx = 0;
                for (int i = 0; i < 16; i++) {
                    qx += (float)(w[4 + i] & 15) * x[i] + (float)(w[4 + i] >> 4) * x[16 + i];
                    sx += x[i] + x[16 + i];
                }
                sum += from_half(half_at(w)) * qx + from_half(half_at(w + 2)) * sx;
            }
            c[m * s.N + n] = sum;
        }
}
