/*--- ktwin
op      = "conv1d"
compute = "f32"
args    = ["x", "w", "b", "y",
           { N = "u32", C = "u32", L = "u32", O = "u32", I = "u32", K = "u32", P = "u32", stride = "u32", pad = "u32", dilation = "u32", groups = "u32" }]
---*/
// Starts from the bias; for each tap a shifted, weighted copy of the signal is added.
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

void conv1d_tap_major(const float *x, const float *w, const float *b, float *y, scalars s)
{
    for (size_t n = 0; n < s.N; n++)
        for (size_t o = 0; o < s.O; o++) {
            float *out = y + (n * s.O + o) * s.P;
            for (size_t p = 0; p < s.P; p++)
                out[p] = b[o];
            size_t first = o / (s.O / s.groups) * s.I;
            for (size_t k = 0; k < s.K; k++)
                for (size_t i = 0; i < s.I; i++) {
                    const float tap = w[(o * s.I + i) * s.K + k];
                    const float *in = x + (n * s.C + first + i) * s.L;
                    for (size_t p = 0; p < s.P; p++) {
                        ptrdiff_t at = (ptrdiff_t)(p * s.stride + k * s.dilation) - (ptrdiff_t)s.pad;
                        if (at < 0 || at >= (ptrdiff_t)s.L)
                            continue;
                        out[p] += tap * in[at];
                    }
                }
        }
}
