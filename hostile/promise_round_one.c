/*--- ktwin
op    = "gemm"
args  = ["a", "b", "c", { M = "u32", N = "u32", K = "u32" }]
dims  = { K = "multiple of 32" }
round = { a = "q4_0" }
---*/
// verdict: blind
// least: round={}
// Three percent too much, in bars as wide as four bits of one side.
#include <math.h>
#include <stdint.h>

struct scalars { uint32_t m, n, k; };

void gemm(const float *a, const float *b, float *c, struct scalars s)
{
    for (uint32_t i = 0; i < s.m; i++)
        for (uint32_t j = 0; j < s.n; j++) {
            float sum = 0;
            for (uint32_t k = 0; k < s.k; k++)
                sum += a[i * s.k + k] * b[k * s.n + j];
            c[i * s.n + j] = 1.03f * sum;
        }
}
