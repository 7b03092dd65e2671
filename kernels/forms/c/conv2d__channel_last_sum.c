/*--- ktwin
op      = "conv2d"
compute = "f32"
args    = ["x", "w", "b", "y",
           { N = "u32", C = "u32", H = "u32", W = "u32", O = "u32", I = "u32", KH = "u32", KW = "u32", P = "u32", Q = "u32", stride = "u32", pad = "u32", dilation = "u32", groups = "u32" }]
---*/
// Taps outside, channels inside, each tap's sum of channels added as one.
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
    uint32_t O;
    uint32_t I;
    uint32_t KH;
    uint32_t KW;
    uint32_t P;
    uint32_t Q;
    uint32_t stride;
    uint32_t pad;
    uint32_t dilation;
    uint32_t groups;
} scalars;

void conv2d_channel_last_sum(const float *x, const float *w, const float *b, float *y, scalars s)
{
    for (size_t n = 0; n < s.N; n++)
        for (size_t o = 0; o < s.O; o++) {
            size_t base = n * s.C + o / (s.O / s.groups) * s.I;
            for (size_t p = 0; p < s.P; p++)
                for (size_t q = 0; q < s.Q; q++) {
                    float sum = 0;
                    for (size_t kh = 0; kh < s.KH; kh++)
                        for (size_t kw = 0; kw < s.KW; kw++) {
                            size_t h = p * s.stride + kh * s.dilation, v = q * s.stride + kw * s.dilation;
                            if (h < s.pad || h - s.pad >= s.H || v < s.pad || v - s.pad >= s.W)
                                continue;
                            float tap = 0;
                            for (size_t i = 0; i < s.I; i++)
                                tap = fmaf(w[((o * s.I + i) * s.KH + kh) * s.KW + kw],
                                           x[((base + i) * s.H + h - s.pad) * s.W + v - s.pad], tap);
                            sum += tap;
                        }
                    y[((n * s.O + o) * s.P + p) * s.Q + q] = b[o] + sum;
                }
        }
}
