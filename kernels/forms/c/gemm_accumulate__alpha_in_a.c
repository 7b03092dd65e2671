/*--- ktwin
op      = "gemm_accumulate"
compute = "f32"
args    = ["a", "b", "c", { M = "u32", N = "u32", K = "u32", alpha = "f32", beta = "f32" }]
---*/
// Alpha multiplied into a row of a, accumulated in a row buffer.
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

void gemm_accumulate_alpha_in_a(const float *a, const float *b, float *c, scalars s)
{
    float *row = malloc(sizeof *row * s.N);
    for (size_t m = 0; m < s.M; m++) {
        for (size_t n = 0; n < s.N; n++)
            row[n] = s.beta * c[m * s.N + n];
        for (size_t k = 0; k < s.K; k++) {
            float f = s.alpha * a[m * s.K + k];
            for (size_t n = 0; n < s.N; n++)
                row[n] = fmaf(f, b[k * s.N + n], row[n]);
        }
        memcpy(c + m * s.N, row, sizeof *row * s.N);
    }
    free(row);
}
