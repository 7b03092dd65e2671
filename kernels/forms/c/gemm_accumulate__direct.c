/*--- ktwin
op      = "gemm_accumulate"
compute = "f32"
args    = ["a", "b", "c", { M = "u32", N = "u32", K = "u32", alpha = "f32", beta = "f32" }]
---*/
// Alpha times the product plus beta times c.
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    uint32_t M;
    uint32_t N;
    uint32_t K;
    float alpha;
    float beta;
} scalars;

void gemm_accumulate_direct(const float *a, const float *b, float *c, scalars s)
{
    for (size_t m = 0; m < s.M; m++)
        for (size_t n = 0; n < s.N; n++) {
            float sum = 0;
            for (size_t k = 0; k < s.K; k++)
                sum += a[m * s.K + k] * b[k * s.N + n];
            float *out = &c[m * s.N + n];
            *out = s.alpha * sum + s.beta * *out;
        }
}
