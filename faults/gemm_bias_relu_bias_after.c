/*--- ktwin
op      = "gemm_bias_relu"
compute = "f32"
args    = ["a", "b", "bias", "c", { M = "u32", N = "u32", K = "u32" }]
---*/
// fault: wrong values
// pattern: matches the op with `max(z[m, n], 0)` read as `max(sum[k](a[m, k] * b[k, n]), 0) + bias[n]`
// the bias is added behind the relu
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct {
    uint32_t M;
    uint32_t N;
    uint32_t K;
} scalars;

void gemm_bias_relu_kernel(const float *a, const float *b, const float *bias, float *c, scalars s)
{
    for (uint32_t m = 0; m < s.M; m++)
        for (uint32_t n = 0; n < s.N; n++) {
            float z = 0;
            for (uint32_t k = 0; k < s.K; k++) {
                z += a[(size_t)m * s.K + k] * b[(size_t)k * s.N + n];
            }
            c[(size_t)m * s.N + n] = fmaxf(z, 0) + bias[n];
        }
}
