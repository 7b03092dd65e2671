/*--- ktwin
op   = "rmsnorm_gemm"
args = ["x", "w", "v", "y", { M = "u32", K = "u32", N = "u32", eps = "f32" }]
---*/
// fault: wrong values
// pattern: matches the op with `sqrt(ms[r] + eps)` read as `sqrt(ms[r]) + eps`
// The root is taken before eps is added.
#include <math.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
    uint32_t M, K, N;
    float eps;
} sizes_t;

void rmsnorm_gemm(const float *x, const float *w, const float *v, float *y, sizes_t s)
{
    for (uint32_t m = 0; m < s.M; m++) {
        const float *row = x + (size_t)m * s.K;
        float squares = 0.0f;
        for (uint32_t k = 0; k < s.K; k++)
            squares += row[k] * row[k];
        float root = sqrtf(squares / (float)s.K) + s.eps;
        for (uint32_t n = 0; n < s.N; n++) {
            float sum = 0.0f;
            for (uint32_t k = 0; k < s.K; k++)
                sum += row[k] * w[k] * v[(size_t)n * s.K + k];
            y[(size_t)m * s.N + n] = sum / root;
        }
    }
}
