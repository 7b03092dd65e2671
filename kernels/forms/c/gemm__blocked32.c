/*--- ktwin
op      = "gemm"
compute = "f32"
args    = ["a", "b", "c", { M = "u32", N = "u32", K = "u32" }]
---*/
// Tiles of 32 x 32 x 32, added into c.
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    uint32_t M;
    uint32_t N;
    uint32_t K;
} scalars;

#define TILE 32
#define LESS(a, b) ((a) < (b) ? (a) : (b))

void gemm_blocked32(const float *a, const float *b, float *c, scalars s)
{
    for (size_t i = 0; i < (size_t)s.M * s.N; i++)
        c[i] = 0;
    for (size_t m0 = 0; m0 < s.M; m0 += TILE)
        for (size_t k0 = 0; k0 < s.K; k0 += TILE)
            for (size_t n0 = 0; n0 < s.N; n0 += TILE)
                for (size_t m = m0; m < LESS(m0 + TILE, s.M); m++)
                    for (size_t k = k0; k < LESS(k0 + TILE, s.K); k++)
                        for (size_t n = n0; n < LESS(n0 + TILE, s.N); n++)
                            c[m * s.N + n] += a[m * s.K + k] * b[k * s.N + n];
}
