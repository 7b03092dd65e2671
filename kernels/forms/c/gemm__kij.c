/*--- ktwin
op      = "gemm"
compute = "f32"
args    = ["a", "b", "c", { M = "u32", N = "u32", K = "u32" }]
---*/
// One outer product after the other.
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

void gemm_kij(const float *a, const float *b, float *c, scalars s)
{
    for (size_t k = 0; k < s.K; k++)
        for (size_t m = 0; m < s.M; m++)
            for (size_t n = 0; n < s.N; n++) {
                float term = a[m * s.K + k] * b[k * s.N + n];
                c[m * s.N + n] = k == 0 ? term : c[m * s.N + n] + term;
            }
}
