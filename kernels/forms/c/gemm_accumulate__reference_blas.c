/*--- ktwin
op      = "gemm_accumulate"
compute = "f32"
args    = ["a", "b", "c", { M = "u32", N = "u32", K = "u32", alpha = "f32", beta = "f32" }]
---*/
// C scaled by beta first, then alpha * b columns added, the order of the reference BLAS.
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

void gemm_accumulate_reference_blas(const float *a, const float *b, float *c, scalars s)
{
    for (size_t n = 0; n < s.N; n++) {
        for (size_t m = 0; m < s.M; m++)
            c[m * s.N + n] *= s.beta;
        for (size_t k = 0; k < s.K; k++) {
            float temp = s.alpha * b[k * s.N + n];
            for (size_t m = 0; m < s.M; m++)
                c[m * s.N + n] += temp * a[m * s.K + k];
        }
    }
}
