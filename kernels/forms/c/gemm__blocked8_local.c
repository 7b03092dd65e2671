/*--- ktwin
op      = "gemm"
compute = "f32"
args    = ["a", "b", "c", { M = "u32", N = "u32", K = "u32" }]
---*/
// Sums of eight products, each block summed by itself and then added.
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

void gemm_blocked8_local(const float *a, const float *b, float *c, scalars s)
{
    for (size_t m = 0; m < s.M; m++)
        for (size_t n = 0; n < s.N; n++) {
            float total = 0;
            for (size_t k0 = 0; k0 < s.K; k0 += 8) {
                float block = 0;
                for (size_t k = k0; k < k0 + 8 && k < s.K; k++)
                    block += a[m * s.K + k] * b[k * s.N + n];
                total += block;
            }
            c[m * s.N + n] = total;
        }
}
