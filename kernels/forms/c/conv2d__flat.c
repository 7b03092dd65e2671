/*--- ktwin
op      = "conv2d"
compute = "f32"
args    = ["x", "w", "b", "y",
           { N = "u32", C = "u32", H = "u32", W = "u32", O = "u32", I = "u32", KH = "u32", KW = "u32", P = "u32", Q = "u32", stride = "u32", pad = "u32", dilation = "u32", groups = "u32" }]
---*/
// One flat sum over channel and taps, the index taken apart by division.
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

static float pixel(const float *x, long h, long w, long H, long W)
{
    return h >= 0 && h < H && w >= 0 && w < W ? x[h * W + w] : 0.0f;
}

void conv2d_flat(const float *x, const float *w, const float *b, float *y, scalars s)
{
    size_t total = (size_t)s.N * s.O * s.P * s.Q, taps = (size_t)s.I * s.KH * s.KW;
    for (size_t at = 0; at < total; at++) {
        size_t q = at % s.Q, p = at / s.Q % s.P, o = at / s.Q / s.P % s.O, n = at / s.Q / s.P / s.O;
        size_t group = o / (s.O / s.groups);
        float sum = 0;
        for (size_t j = 0; j < taps; j++) {
            size_t kw = j % s.KW, kh = j / s.KW % s.KH, i = j / s.KW / s.KH;
            const float *plane = x + (n * s.C + group * s.I + i) * s.H * s.W;
            sum += w[o * taps + j] * pixel(plane, (long)(p * s.stride + kh * s.dilation) - (long)s.pad,
                                           (long)(q * s.stride + kw * s.dilation) - (long)s.pad, s.H, s.W);
        }
        y[at] = sum + b[o];
    }
}
