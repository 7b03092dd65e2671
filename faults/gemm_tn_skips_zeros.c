/*--- ktwin
op    = "gemm_tn"
types = { a = "f32", b = "f32", c = "f32" }
args  = ["a", "b", "c", { K = "u32", M = "u32", N = "u32" }]
nan   = "propagate"
---*/
// fault: wrong class
// pattern: matches the op with `sum[k](a[k, m] * b[k, n])` read as `sum[k where a[k, m] != 0](a[k, m] * b[k, n])`
// Products with a zero are left out, and with them the NaN that they would be.
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct {
    uint32_t K, M, N;
} sizes;

void gemm_tn(const float *a, const float *b, float *c, sizes s)
{
    memset(c, 0, sizeof(float) * s.M * s.N);
    for (size_t k = 0; k < s.K; k++)
        for (size_t m = 0; m < s.M; m++) {
            float factor = a[k * s.M + m];
            for (size_t n = 0; factor != 0 && n < s.N; n++)
                c[m * s.N + n] += factor * b[k * s.N + n];
        }
}
