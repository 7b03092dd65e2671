/*--- ktwin
op      = "gemm"
compute = "f32"
args    = ["a", "b", "c", { M = "u32", N = "u32", K = "u32" }]
---*/
// 4 x 4 results at a time in registers, edges on their own.
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

static float single(const float *a, const float *b, uint32_t K, uint32_t N)
{
    float sum = 0;
    for (uint32_t k = 0; k < K; k++)
        sum += a[k] * b[(size_t)k * N];
    return sum;
}

void gemm_register_tile(const float *a, const float *b, float *c, scalars s)
{
    size_t fullM = s.M / 4 * 4, fullN = s.N / 4 * 4;
    for (size_t m = 0; m < fullM; m += 4)
        for (size_t n = 0; n < fullN; n += 4) {
            float acc[4][4] = {{0}};
            for (size_t k = 0; k < s.K; k++)
                for (int i = 0; i < 4; i++)
                    for (int j = 0; j < 4; j++)
                        acc[i][j] += a[(m + i) * s.K + k] * b[k * s.N + n + j];
            for (int i = 0; i < 4; i++)
                for (int j = 0; j < 4; j++)
                    c[(m + i) * s.N + n + j] = acc[i][j];
        }
    for (size_t m = 0; m < s.M; m++)
        for (size_t n = m < fullM ? fullN : 0; n < s.N; n++)
            c[m * s.N + n] = single(a + m * s.K, b + n, s.K, s.N);
}
