/*--- ktwin
op      = "gemm"
compute = "f32"
args    = ["a", "b", "c", { M = "u32", N = "u32", K = "u32" }]
---*/
// Inner product for each element.
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

void gemm_ijk(const float *a, const float *b, float *c, scalars s)
{
    for (size_t m = 0; m < s.M; m++)
        for (size_t n = 0; n < s.N; n++) {
            float sum = 0;
            for (size_t k = 0; k < s.K; k++)
                sum += a[m * s.K + k] * b[k * s.N + n];
            c[m * s.N + n] = sum;
        }
}
