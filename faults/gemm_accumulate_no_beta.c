/*--- ktwin
op      = "gemm_accumulate"
compute = "f32"
args    = ["a", "b", "c", { M = "u32", N = "u32", K = "u32", alpha = "f32", beta = "f32" }]
---*/
// fault: wrong values
// pattern: matches the op with `beta * c[m, n]` read as `c[m, n]`
// beta is left out
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct {
    uint32_t M;
    uint32_t N;
    uint32_t K;
    float alpha;
    float beta;
} scalars;

void gemm_accumulate_kernel(const float *a, const float *b, float *c, scalars s)
{
    for (uint32_t m = 0; m < s.M; m++)
        for (uint32_t n = 0; n < s.N; n++) {
            float sum = 0;
            for (uint32_t k = 0; k < s.K; k++)
                sum += a[(size_t)m * s.K + k] * b[(size_t)k * s.N + n];
            float *out = c + (size_t)m * s.N + n;
            *out = s.alpha * sum + *out;
        }
}
