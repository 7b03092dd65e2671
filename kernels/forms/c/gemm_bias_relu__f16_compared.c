/*--- ktwin
op    = "gemm_bias_relu"
types = { a = "f16", b = "f16", bias = "f16", c = "f16" }
args  = ["a", "b", "bias", "c", { M = "u32", N = "u32", K = "u32" }]
---*/
// f16 in memory, sums in f32, and a comparison for the larger of two.
#include <stddef.h>
#include <stdint.h>

typedef struct {
    uint32_t m, n, k;
} Sizes;

void gemm_bias_relu(const _Float16 *a, const _Float16 *b, const _Float16 *bias, _Float16 *c, Sizes s) {
    for (uint32_t i = 0; i < s.m; i++) {
        for (uint32_t j = 0; j < s.n; j++) {
            float sum = (float)bias[j];
            for (uint32_t k = 0; k < s.k; k++) {
                sum += (float)a[(size_t)i * s.k + k] * (float)b[(size_t)k * s.n + j];
            }
            c[(size_t)i * s.n + j] = (_Float16)(sum > 0 ? sum : 0);
        }
    }
}
