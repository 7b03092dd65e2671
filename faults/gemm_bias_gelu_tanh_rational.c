/*--- ktwin
op      = "gemm_bias_gelu"
compute = "f32"
args    = ["a", "b", "bias", "c", { M = "u32", N = "u32", K = "u32" }]
---*/
// fault: wrong values
// pattern: the wrong elements agree to
// tanh by a short rational formula
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct {
    uint32_t M;
    uint32_t N;
    uint32_t K;
} scalars;

void gemm_bias_gelu_kernel(const float *a, const float *b, const float *bias, float *c, scalars s)
{
    for (uint32_t m = 0; m < s.M; m++)
        for (uint32_t n = 0; n < s.N; n++) {
            float z = bias[n];
            for (uint32_t k = 0; k < s.K; k++)
                z += a[(size_t)m * s.K + k] * b[(size_t)k * s.N + n];
            float u = 0.79788456f * (z + 0.044715f * z * z * z);
            c[(size_t)m * s.N + n] = 0.5f * z * (1 + (fabsf(u) > 3 ? copysignf(1, u) : u * (27 + u * u) / (27 + 9 * u * u)));
        }
}
