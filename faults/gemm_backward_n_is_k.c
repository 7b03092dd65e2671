/*--- ktwin
op      = "gemm_backward"
compute = "f32"
args    = ["a", "b", "dc", "da", "db", { M = "u32", N = "u32", K = "u32" }]
---*/
// fault: wrong values
// pattern: matches the op with `sum[n](dc[m, n] * b[k, n])` read as `sum[n where n < K](dc[m, n] * b[k, n])`
// da sums over the smaller of N and K
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct {
    uint32_t M;
    uint32_t N;
    uint32_t K;
} scalars;

void gemm_backward_kernel(const float *a, const float *b, const float *dc, float *da, float *db, scalars s)
{
    for (uint32_t m = 0; m < s.M; m++)
        for (uint32_t k = 0; k < s.K; k++) {
            float sum = 0;
            for (uint32_t n = 0; n < (s.N < s.K ? s.N : s.K); n++)
                sum += dc[(size_t)m * s.N + n] * b[(size_t)k * s.N + n];
            da[(size_t)m * s.K + k] = sum;
        }
    for (uint32_t k = 0; k < s.K; k++)
        for (uint32_t n = 0; n < s.N; n++) {
            float sum = 0;
            for (uint32_t m = 0; m < s.M; m++)
                sum += a[(size_t)m * s.K + k] * dc[(size_t)m * s.N + n];
            db[(size_t)k * s.N + n] = sum;
        }
}
