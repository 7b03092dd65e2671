/*--- ktwin
op    = "gemm_nt"
types = { a = "i8", b = "i8", c = "i32" }
args  = ["a", "b", "c", { M = "u32", N = "u32", K = "u32" }]
---*/
// fault: wrong values
// pattern: right if a is four times as small: an integer overflows on the way
// two products are added in 16 bits, which two of -128 * -128 do not fit
#include <stddef.h>
#include <stdint.h>

typedef struct {
    uint32_t M, N, K;
} sizes;

static int16_t saturated(int32_t x)
{
    return x > INT16_MAX ? INT16_MAX : x < INT16_MIN ? INT16_MIN : (int16_t)x;
}

void gemm_nt(const int8_t *a, const int8_t *b, int32_t *c, sizes s)
{
    const uint32_t M = s.M, N = s.N, K = s.K;
    for (size_t m = 0; m < M; m++)
        for (size_t n = 0; n < N; n++) {
            int32_t total = 0;
            for (size_t k = 0; k < K; k += 2) {
                int32_t pair = a[m * K + k] * b[n * K + k];
                if (k + 1 < K)
                    pair += a[m * K + k + 1] * b[n * K + k + 1];
                total += saturated(pair);
            }
            c[m * N + n] = total;
        }
}
