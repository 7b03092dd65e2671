/*--- ktwin
op      = "gemm_accumulate"
types   = { a = "f64", b = "f64", c = "f64" }
compute = "f64"
args    = ["a", "b", "c", { M = "u32", N = "u32", K = "u32", alpha = "f64", beta = "f64" }]
---*/
// In double, accumulated onto beta * c.
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    uint32_t M;
    uint32_t N;
    uint32_t K;
    double alpha;
    double beta;
} scalars;

void gemm_accumulate_f64_onto_beta(const double *a, const double *b, double *c, scalars s)
{
    for (size_t m = 0; m < s.M; m++)
        for (size_t n = 0; n < s.N; n++) {
            double sum = s.beta * c[m * s.N + n];
            for (size_t k = 0; k < s.K; k++)
                sum += s.alpha * a[m * s.K + k] * b[k * s.N + n];
            c[m * s.N + n] = sum;
        }
}
