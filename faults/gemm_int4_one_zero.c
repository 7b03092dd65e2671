/*--- ktwin
op      = "gemm_int4"
compute = "f32"
args    = ["x", "w", "scale", "zero", "y", { M = "u32", N = "u32", P = "u32", G = "u32" }]
---*/
// fault: wrong values
// pattern: matches the op with `zero[n, k // (K // G)]` read as `zero[n, k // K]`
// every group has the zero point of the first
#include <stdint.h>

typedef struct {
    uint32_t M, N, P, G;
} sizes;

void gemm_int4(const float *x, const uint32_t *w, const float *scale, const uint32_t *zero, float *y, sizes s)
{
    const uint32_t K = 8 * s.P, group = K / s.G;
    for (uint32_t m = 0; m < s.M; m++)
        for (uint32_t n = 0; n < s.N; n++) {
            float sum = 0;
            for (uint32_t g = 0; g < s.G; g++) {
                const float z = (float)zero[n * s.G];
                float part = 0;
                for (uint32_t k = g * group; k < (g + 1) * group; k++) {
                    const uint32_t code = w[n * s.P + k / 8] >> (4 * (k % 8)) & 15;
                    part += x[m * K + k] * ((float)code - z);
                }
                sum += scale[n * s.G + g] * part;
            }
            y[m * s.N + n] = sum;
        }
}
