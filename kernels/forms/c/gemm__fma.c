/*--- ktwin
op      = "gemm"
compute = "f32"
args    = ["a", "b", "c", { M = "u32", N = "u32", K = "u32" }]
---*/
// Fused multiply-add from the last product to the first.
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

void gemm_fma(const float *a, const float *b, float *c, scalars s)
{
    for (uint32_t m = 0; m < s.M; m++)
        for (uint32_t n = 0; n < s.N; n++) {
            float sum = 0;
            for (uint32_t k = s.K; k-- > 0;)
                sum = fmaf(a[(size_t)m * s.K + k], b[(size_t)k * s.N + n], sum);
            c[(size_t)m * s.N + n] = sum;
        }
}
