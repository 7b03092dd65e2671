/*--- ktwin
op      = "gemm_bias_silu"
compute = "f32"
args    = ["a", "b", "bias", "c", { M = "u32", N = "u32", K = "u32" }]
---*/
// fault: wrong class
// pattern: matches the op with `z[m, n] * sigmoid(z[m, n])` read as `z[m, n] * exp(z[m, n]) / (1 + exp(z[m, n]))`
// e^z / (1 + e^z) overflows
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct {
    uint32_t M;
    uint32_t N;
    uint32_t K;
} scalars;

void gemm_bias_silu_kernel(const float *a, const float *b, const float *bias, float *c, scalars s)
{
    for (uint32_t m = 0; m < s.M; m++)
        for (uint32_t n = 0; n < s.N; n++) {
            float z = bias[n];
            for (uint32_t k = 0; k < s.K; k++)
                z += a[(size_t)m * s.K + k] * b[(size_t)k * s.N + n];
            c[(size_t)m * s.N + n] = z * expf(z) / (1 + expf(z));
        }
}
