/*--- ktwin
op      = "conv1d"
compute = "f32"
args    = ["x", "w", "b", "y",
           { N = "u32", C = "u32", L = "u32", O = "u32", I = "u32", K = "u32", P = "u32", stride = "u32", pad = "u32", dilation = "u32", groups = "u32" }]
---*/
// Windows laid out as rows with zeros at the border, then inner products.
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

void conv1d_im2col(const float *x, const float *w, const float *b, float *y, scalars s)
{
    const size_t len = (size_t)s.I * s.K;
    float *win = malloc(sizeof *win * len);
    for (size_t n = 0; n < s.N; n++)
        for (size_t g = 0; g < s.groups; g++)
            for (size_t p = 0; p < s.P; p++) {
                for (size_t i = 0; i < s.I; i++)
                    for (size_t k = 0; k < s.K; k++) {
                        long at = (long)(p * s.stride + k * s.dilation) - (long)s.pad;
                        win[i * s.K + k] = at < 0 || at >= (long)s.L ? 0.0f : x[(n * s.C + g * s.I + i) * s.L + at];
                    }
                size_t per = s.O / s.groups;
                for (size_t o = g * per; o < (g + 1) * per; o++) {
                    float sum = b[o];
                    for (size_t j = 0; j < len; j++)
                        sum += w[o * len + j] * win[j];
                    y[(n * s.O + o) * s.P + p] = sum;
                }
            }
    free(win);
}
