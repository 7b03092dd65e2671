/*--- ktwin
op      = "gemm"
compute = "f32"
args    = ["a", "b", "c", { M = "u32", N = "u32", K = "u32" }]
---*/
// Products added by recursive halving of K.
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

static float span(const float *a, const float *b, size_t n, size_t stride)
{
    if (n == 1)
        return a[0] * b[0];
    if (n == 2)
        return a[0] * b[0] + a[1] * b[stride];
    size_t h = n / 2;
    return span(a, b, h, stride) + span(a + h, b + h * stride, n - h, stride);
}

void gemm_pairwise(const float *a, const float *b, float *c, scalars s)
{
    for (size_t m = 0; m < s.M; m++)
        for (size_t n = 0; n < s.N; n++)
            c[m * s.N + n] = span(a + m * s.K, b + n, s.K, s.N);
}
