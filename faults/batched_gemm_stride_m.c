/*--- ktwin
op      = "batched_gemm"
compute = "f32"
args    = ["a", "b", "c", { L = "u32", M = "u32", N = "u32", K = "u32" }]
---*/
// fault: crash
// pattern: matches the op with `b[l, k, n]` read as `b[l * M + k, n]`
// batches of b lie M * N apart
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct {
    uint32_t L;
    uint32_t M;
    uint32_t N;
    uint32_t K;
} scalars;

void batched_gemm_kernel(const float *a, const float *b, float *c, scalars s)
{
    for (uint32_t l = 0; l < s.L; l++) {
        const float *x = a + (size_t)l * s.M * s.K, *w = b + (size_t)l * s.M * s.N;
        float *out = c + (size_t)l * s.M * s.N;
        for (uint32_t m = 0; m < s.M; m++)
            for (uint32_t n = 0; n < s.N; n++) {
                float sum = 0;
                for (uint32_t k = 0; k < s.K; k++)
                    sum += x[(size_t)m * s.K + k] * w[(size_t)k * s.N + n];
                out[(size_t)m * s.N + n] = sum;
            }
    }
}
