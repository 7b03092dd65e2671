/*--- ktwin
op   = "gemm_accumulate"
args = ["a", "b", "c", { M = "u32", N = "u32", K = "u32", alpha = "f32", beta = "f32" }]
---*/
// fault: wrong values
// pattern: matches the op with `beta * c[m, n]` read as `c[m, n]`, in the cases that fail
// A shorter way for alpha = -1 forgets beta.
#include <stdint.h>

typedef struct {
    uint32_t M, N, K;
    float alpha, beta;
} scalars;

void gemm_accumulate(const float *a, const float *b, float *c, scalars s)
{
    for (uint32_t m = 0; m < s.M; m++)
        for (uint32_t n = 0; n < s.N; n++) {
            float sum = 0.0f;
            for (uint32_t k = 0; k < s.K; k++)
                sum += a[m * s.K + k] * b[k * s.N + n];
            float *at = c + m * s.N + n;
            *at = s.alpha == -1.0f ? *at - sum : s.alpha * sum + s.beta * *at;
        }
}
