/*--- ktwin
op   = "gemm_bias"
args = ["a", "b", "bias", "c", { M = "u32", K = "u32", N = "u32" }]
where = ["M > 1"]
---*/
// fault: wrong values
// pattern: matches the op with `sum[k](a[m, k] * b[k, n]) + bias[n]` read as `sum[k](a[m, k] * b[k, n]) + bias[n % M]`
// The bias starts again after M columns.
#include <stdint.h>

typedef struct {
    uint32_t M, K, N;
} sizes_t;


void gemm_bias(const float *a, const float *b, const float *bias, float *c, sizes_t s)
{
    for (uint32_t m = 0; m < s.M; m++)
        for (uint32_t n = 0; n < s.N; n++) {
            float sum = bias[n % s.M];
            for (uint32_t k = 0; k < s.K; k++)
                sum += a[m * s.K + k] * b[k * s.N + n];
            c[m * s.N + n] = sum;
        }
}
