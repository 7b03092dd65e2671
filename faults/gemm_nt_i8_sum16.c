/*--- ktwin
op    = "gemm_nt"
types = { a = "i8", b = "i8", c = "i32" }
args  = ["a", "b", "c", { M = "u32", K = "u32", N = "u32" }]
---*/
// fault: wrong values
// pattern: every element is the right one as
// Sums of products of bytes are kept in 16 bits.
#include <stddef.h>
#include <stdint.h>

typedef struct {
    uint32_t M, K, N;
} sizes;

void gemm_nt(const int8_t *a, const int8_t *b, int32_t *c, sizes s)
{
    for (uint32_t m = 0; m < s.M; m++)
        for (uint32_t n = 0; n < s.N; n++) {
            int16_t sum = 0;
            for (uint32_t k = 0; k < s.K; k++)
                sum = (int16_t)(sum + a[(size_t)m * s.K + k] * b[(size_t)n * s.K + k]);
            c[(size_t)m * s.N + n] = sum;
        }
}
