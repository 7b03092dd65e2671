/*--- ktwin
op      = "gemm"
compute = "f32"
args    = ["a", "b", "c", { M = "u32", N = "u32", K = "u32" }]
---*/
// fault: unwritten elements
// pattern: every wrong element was never written
// the last row is missing where M > 64 and N < M
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct {
    uint32_t M;
    uint32_t N;
    uint32_t K;
} scalars;

void gemm_kernel(const float *a, const float *b, float *c, scalars s)
{
    for (uint32_t m = 0; m < (s.M > 64 && s.N < s.M ? s.M - 1 : s.M); m++)
        for (uint32_t n = 0; n < s.N; n++) {
            float sum = 0;
            for (uint32_t k = 0; k < s.K; k++)
                sum += a[(size_t)m * s.K + k] * b[(size_t)k * s.N + n];
            c[(size_t)m * s.N + n] = sum;
        }
}
