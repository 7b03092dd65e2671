/*--- ktwin
op      = "gemm_bias"
compute = "f32"
args    = ["a", "b", "bias", "c", { M = "u32", N = "u32", K = "u32" }]
---*/
// Two halves of K, each with its own sum, added to the bias.
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

void gemm_bias_split_k(const float *a, const float *b, const float *bias, float *c, scalars s)
{
    const size_t half = s.K / 2;
    for (size_t m = 0; m < s.M; m++)
        for (size_t n = 0; n < s.N; n++) {
            float lower = 0, upper = 0;
            for (size_t k = 0; k < half; k++)
                lower += a[m * s.K + k] * b[k * s.N + n];
            for (size_t k = half; k < s.K; k++)
                upper += a[m * s.K + k] * b[k * s.N + n];
            c[m * s.N + n] = bias[n] + (lower + upper);
        }
}
