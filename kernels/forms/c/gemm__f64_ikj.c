/*--- ktwin
op      = "gemm"
types   = { a = "f64", b = "f64", c = "f64" }
compute = "f64"
args    = ["a", "b", "c", { M = "u32", N = "u32", K = "u32" }]
---*/
// In double, rows of b added into rows of c.
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

void gemm_f64_ikj(const double *a, const double *b, double *c, scalars s)
{
    memset(c, 0, sizeof *c * s.M * s.N);
    for (size_t m = 0; m < s.M; m++)
        for (size_t k = 0; k < s.K; k++)
            for (size_t n = 0; n < s.N; n++)
                c[m * s.N + n] += a[m * s.K + k] * b[k * s.N + n];
}
