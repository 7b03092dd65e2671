/*--- ktwin
op      = "conv1d"
compute = "f32"
args    = ["x", "w", "b", "y", { N = "u32", C = "u32", L = "u32", O = "u32", I = "u32", K = "u32", P = "u32", stride = "i32", pad = "i32", dilation = "i32", groups = "i32" }]
---*/
// fault: wrong values
// pattern: matches the op with `b[o]` read as `b[p]`
// the bias by place instead of channel
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct {
    uint32_t N;
    uint32_t C;
    uint32_t L;
    uint32_t O;
    uint32_t I;
    uint32_t K;
    uint32_t P;
    int32_t stride;
    int32_t pad;
    int32_t dilation;
    int32_t groups;
} scalars;

void conv1d_kernel(const float *x, const float *w, const float *b, float *y, scalars s)
{
    for (uint32_t n = 0; n < s.N; n++)
        for (uint32_t o = 0; o < s.O; o++)
            for (uint32_t p = 0; p < s.P; p++) {
                float sum = b[p % s.O];
                for (uint32_t i = 0; i < s.I; i++)
                    for (uint32_t k = 0; k < s.K; k++) {
                        int64_t l = (int64_t)p * s.stride + (int64_t)k * s.dilation - s.pad;
                        uint32_t c = o / (s.O / s.groups) * s.I + i;
                        if (l >= 0 && l < s.L)
                            sum += w[((size_t)o * s.I + i) * s.K + k] * x[((size_t)n * s.C + c) * s.L + l];
                    }
                y[((size_t)n * s.O + o) * s.P + p] = sum;
            }
}
