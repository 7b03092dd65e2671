/*--- ktwin
op      = "gemm"
compute = "f32"
args    = ["a", "b", "c", { M = "u32", N = "u32", K = "u32" }]
---*/
// B transposed into a buffer first, four accumulators.
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

void gemm_packed_b(const float *a, const float *b, float *c, scalars s)
{
    float *bt = malloc(sizeof *bt * s.K * s.N);
    for (size_t k = 0; k < s.K; k++)
        for (size_t n = 0; n < s.N; n++)
            bt[n * s.K + k] = b[k * s.N + n];
    for (size_t m = 0; m < s.M; m++)
        for (size_t n = 0; n < s.N; n++) {
            const float *p = a + m * s.K, *t = bt + n * s.K;
            float acc[4] = {0};
            for (size_t k = 0; k < s.K; k++)
                acc[k % 4] += p[k] * t[k];
            c[m * s.N + n] = acc[0] + acc[1] + acc[2] + acc[3];
        }
    free(bt);
}
