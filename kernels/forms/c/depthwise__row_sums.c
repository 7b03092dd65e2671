/*--- ktwin
op      = "depthwise"
compute = "f32"
args    = ["x", "w", "y",
           { N = "u32", C = "u32", H = "u32", W = "u32", KH = "u32", KW = "u32", P = "u32", Q = "u32", stride = "u32", pad = "u32" }]
---*/
// Each row of the filter summed by itself, then rows added.
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    uint32_t N;
    uint32_t C;
    uint32_t H;
    uint32_t W;
    uint32_t KH;
    uint32_t KW;
    uint32_t P;
    uint32_t Q;
    uint32_t stride;
    uint32_t pad;
} scalars;

void depthwise_row_sums(const float *x, const float *w, float *y, scalars s)
{
    for (size_t plane = 0; plane < (size_t)s.N * s.C; plane++) {
        const float *in = x + plane * s.H * s.W, *f = w + plane % s.C * s.KH * s.KW;
        float *out = y + plane * s.P * s.Q;
        for (size_t p = 0; p < s.P; p++)
            for (size_t q = 0; q < s.Q; q++) {
                float all = 0;
                for (size_t i = 0; i < s.KH; i++) {
                    long h = (long)(p * s.stride + i) - (long)s.pad;
                    if (h < 0 || h >= (long)s.H)
                        continue;
                    float row = 0;
                    for (size_t j = 0; j < s.KW; j++) {
                        long v = (long)(q * s.stride + j) - (long)s.pad;
                        float e = v < 0 || v >= (long)s.W ? 0.0f : in[h * s.W + v];
                        row += e * f[i * s.KW + j];
                    }
                    all += row;
                }
                out[p * s.Q + q] = all;
            }
    }
}
