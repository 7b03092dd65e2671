/*--- ktwin
op      = "gemm_tn"
compute = "f32"
args    = ["a", "b", "c", { M = "u32", N = "u32", K = "u32" }]
---*/
// fault: not repeatable
// pattern: right if c holds zeros before the launch: the kernel adds to what is there, or never sets it
// memset clears as many bytes as there are elements
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct {
    uint32_t M;
    uint32_t N;
    uint32_t K;
} scalars;

void gemm_tn_kernel(const float *a, const float *b, float *c, scalars s)
{
    memset(c, 0, (size_t)s.M * s.N);
    for (uint32_t k = 0; k < s.K; k++)
        for (uint32_t m = 0; m < s.M; m++)
            for (uint32_t n = 0; n < s.N; n++)
                c[(size_t)m * s.N + n] += a[(size_t)k * s.M + m] * b[(size_t)k * s.N + n];
}
