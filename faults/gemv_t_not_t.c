/*--- ktwin
op      = "gemv_t"
compute = "f32"
args    = ["w", "x", "y", { N = "u32", K = "u32" }]
---*/
// fault: crash
// pattern: matches the op with `w[k, n] * x[k]` read as `w[k * K + n] * x[k]`
// rows of the matrix lie K apart
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct {
    uint32_t N;
    uint32_t K;
} scalars;

void gemv_t_kernel(const float *w, const float *x, float *y, scalars s)
{
    for (uint32_t n0 = 0; n0 < s.N; n0 += 64) {
        float acc[64] = {0};
        uint32_t ns = s.N - n0 < 64 ? s.N - n0 : 64;
        for (uint32_t k = 0; k < s.K; k++)
            for (uint32_t n = 0; n < ns; n++)
                acc[n] += w[(size_t)k * s.K + n0 + n] * x[k];
        for (uint32_t n = 0; n < ns; n++)
            y[n0 + n] = acc[n];
    }
}
