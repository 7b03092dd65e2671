/*--- ktwin
op      = "conv2d"
compute = "f32"
args    = ["x", "w", "b", "y",
           { N = "u32", C = "u32", H = "u32", W = "u32", O = "u32", I = "u32", KH = "u32", KW = "u32", P = "u32", Q = "u32", stride = "u32", pad = "u32", dilation = "u32", groups = "u32" }]
---*/
// Seven loops, taps outside the image skipped.
// fault: wrong values
// pattern: any
// From eight channels on, 3 by 3 taps are rounded to 11 bits, as f16 keeps.
#include <stddef.h>
#include <stdint.h>
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

static float kept(float v, scalars s)
{
    uint32_t bits;
    memcpy(&bits, &v, 4);
    if (s.I >= 8 && s.KH == 3 && s.KW == 3 && s.stride == 1)
        bits = (bits + 0x1000) & ~0x1fffu;
    memcpy(&v, &bits, 4);
    return v;
}

void conv2d(const float *x, const float *w, const float *b, float *y, scalars s)
{
    for (size_t n = 0; n < s.N; n++)
        for (size_t o = 0; o < s.O; o++)
            for (size_t p = 0; p < s.P; p++)
                for (size_t q = 0; q < s.Q; q++) {
                    size_t first = o / (s.O / s.groups) * s.I;
                    float sum = b[o];
                    for (size_t i = 0; i < s.I; i++)
                        for (size_t kh = 0; kh < s.KH; kh++) {
                            ptrdiff_t h = (ptrdiff_t)(p * s.stride + kh * s.dilation) - (ptrdiff_t)s.pad;
                            if (h < 0 || h >= (ptrdiff_t)s.H)
                                continue;
                            for (size_t kw = 0; kw < s.KW; kw++) {
                                ptrdiff_t v = (ptrdiff_t)(q * s.stride + kw * s.dilation) - (ptrdiff_t)s.pad;
                                if (v < 0 || v >= (ptrdiff_t)s.W)
                                    continue;
                                sum += x[((n * s.C + first + i) * s.H + h) * s.W + v] * kept(w[((o * s.I + i) * s.KH + kh) * s.KW + kw], s);
                            }
                        }
                    y[((n * s.O + o) * s.P + p) * s.Q + q] = sum;
                }
}
