/*--- ktwin
op      = "conv1d"
compute = "f32"
args    = ["x", "w", "b", "y",
           { N = "u32", C = "u32", L = "u32", O = "u32", I = "u32", K = "u32", P = "u32", stride = "u32", pad = "u32", dilation = "u32", groups = "u32" }]
---*/
// Bias last, the taps outside the signal skipped.
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    uint32_t N;
    uint32_t C;
    uint32_t L;
    uint32_t O;
    uint32_t I;
    uint32_t K;
    uint32_t P;
    uint32_t stride;
    uint32_t pad;
    uint32_t dilation;
    uint32_t groups;
} scalars;

void conv1d_direct(const float *x, const float *w, const float *b, float *y, scalars s)
{
    const uint32_t out_per = s.O / s.groups;
    for (uint32_t n = 0; n < s.N; n++)
        for (uint32_t o = 0; o < s.O; o++)
            for (uint32_t p = 0; p < s.P; p++) {
                float sum = 0;
                for (uint32_t i = 0; i < s.I; i++) {
                    const float *in = x + ((size_t)n * s.C + o / out_per * s.I + i) * s.L;
                    for (uint32_t k = 0; k < s.K; k++) {
                        int64_t at = (int64_t)p * s.stride + (int64_t)k * s.dilation - s.pad;
                        if (at >= 0 && at < (int64_t)s.L)
                            sum += w[((size_t)o * s.I + i) * s.K + k] * in[at];
                    }
                }
                y[((size_t)n * s.O + o) * s.P + p] = sum + b[o];
            }
}
