/*--- ktwin
op      = "moe_gemm"
compute = "f32"
args    = ["x", "w", "expert", "y", { T = "u32", D = "u32", F = "u32" }]
---*/
// fault: crash
// pattern: matches the op with `w[expert[t], f, d]` read as `w[(expert[t]) * D + f, d]`
// experts lie D * D apart
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct {
    uint32_t T;
    uint32_t D;
    uint32_t F;
} scalars;

void moe_gemm_kernel(const float *x, const float *w, const uint32_t *expert, float *y, scalars s)
{
    for (uint32_t t = 0; t < s.T; t++)
        for (uint32_t f = 0; f < s.F; f++) {
            const float *row = w + ((size_t)expert[t] * s.D + f) * s.D;
            float sum = 0;
            for (uint32_t d = 0; d < s.D; d++)
                sum += x[(size_t)t * s.D + d] * row[d];
            y[(size_t)t * s.F + f] = sum;
        }
}
