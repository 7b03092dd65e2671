/*--- ktwin
op   = "gemm"
args = ["a", "b", "c", { M = "u32", K = "u32", N = "u32" }]
---*/
// fault: wrong values
// pattern: the rows of the output are written K elements apart
// Rows of the result are taken to be K apart: right only where K == N.
#include <stdint.h>

typedef struct {
    uint32_t M, K, N;
} sizes_t;


void gemm(const float *a, const float *b, float *c, sizes_t s)
{
    for (uint32_t m = 0; m < s.M; m++)
        for (uint32_t n = 0; n < s.N; n++) {
            float sum = 0.0f;
            for (uint32_t k = 0; k < s.K; k++)
                sum += a[m * s.K + k] * b[k * s.N + n];
            c[m * s.K + n] = sum;
        }
}
