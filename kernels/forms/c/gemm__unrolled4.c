/*--- ktwin
op      = "gemm"
compute = "f32"
args    = ["a", "b", "c", { M = "u32", N = "u32", K = "u32" }]
---*/
// K unrolled by four, four products in one expression.
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

void gemm_unrolled4(const float *a, const float *b, float *c, scalars s)
{
    for (size_t m = 0; m < s.M; m++) {
        const float *p = a + m * s.K;
        for (size_t n = 0; n < s.N; n++) {
            const float *t = b + n;
            float sum = 0;
            size_t k = 0;
            for (; k + 4 <= s.K; k += 4)
                sum += p[k] * t[k * s.N] + p[k + 1] * t[(k + 1) * s.N] + p[k + 2] * t[(k + 2) * s.N] + p[k + 3] * t[(k + 3) * s.N];
            for (; k < s.K; k++)
                sum += p[k] * t[k * s.N];
            c[m * s.N + n] = sum;
        }
    }
}
