/*--- ktwin
op      = "gemm_bias"
compute = "f32"
args    = ["a", "b", "bias", "c", { M = "u32", N = "u32", K = "u32" }]
---*/
// Rows of c start as the bias, products are added onto it.
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

void gemm_bias_onto_bias(const float *a, const float *b, const float *bias, float *c, scalars s)
{
    for (size_t m = 0; m < s.M; m++) {
        float *row = c + m * s.N;
        memcpy(row, bias, s.N * sizeof *row);
        for (size_t k = 0; k < s.K; k++)
            for (size_t n = 0; n < s.N; n++)
                row[n] += a[m * s.K + k] * b[k * s.N + n];
    }
}
