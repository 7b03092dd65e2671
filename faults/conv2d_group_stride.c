/*--- ktwin
op      = "conv2d"
types   = { x = "bf16", w = "bf16" }
compute = "f32"
args    = ["x", "w", "b", "y", { N = "u32", C = "u32", H = "u32", W = "u32", O = "u32", I = "u32", KH = "u32",
           KW = "u32", P = "u32", Q = "u32", stride = "u32", pad = "u32", dilation = "u32", groups = "u32" }]
---*/
// fault: wrong values
// pattern: wrong exactly where o >= 3
// The first output channel of a group is counted in input channels of a group (I), not in outputs.
// im2col for each image and group, then a small matrix product with two accumulators; the bias is added last.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct { uint32_t N, C, H, W, O, I, KH, KW, P, Q, stride, pad, dilation, groups; } scalars;

static float widen(uint16_t b) { uint32_t u = (uint32_t)b << 16; float f; memcpy(&f, &u, 4); return f; }

void conv2d(const uint16_t *x, const uint16_t *w, const float *b, float *y, scalars s)
{
    const size_t taps = (size_t)s.I * s.KH * s.KW, pixels = (size_t)s.P * s.Q;
    const uint32_t per = s.O / s.groups, base = s.I < per ? s.I : per;
    float *col = malloc(taps * sizeof *col);
    for (uint32_t n = 0; n < s.N; n++)
        for (uint32_t g = 0; g < s.groups; g++)
            for (uint32_t p = 0; p < s.P; p++)
                for (uint32_t q = 0; q < s.Q; q++) {
                    size_t t = 0;
                    for (uint32_t i = 0; i < s.I; i++)
                        for (uint32_t kh = 0; kh < s.KH; kh++)
                            for (uint32_t kw = 0; kw < s.KW; kw++, t++) {
                                const int64_t r = (int64_t)p * s.stride + (int64_t)kh * s.dilation - s.pad;
                                const int64_t c = (int64_t)q * s.stride + (int64_t)kw * s.dilation - s.pad;
                                col[t] = r < 0 || c < 0 || r >= s.H || c >= s.W ? 0
                                       : widen(x[(((size_t)n * s.C + g * s.I + i) * s.H + r) * s.W + c]);
                            }
                    for (uint32_t o = g * per; o < (g + 1) * per; o++) { const uint16_t *wr = w + (size_t)(g * base + (o - g * per)) * taps;
                        float a0 = 0, a1 = 0;
                        for (t = 0; t + 1 < taps; t += 2) {
                            a0 += widen(wr[t]) * col[t];
                            a1 += widen(wr[t + 1]) * col[t + 1];
                        }
                        if (t < taps)
                            a0 += widen(wr[t]) * col[t];
                        y[((size_t)n * s.O + o) * pixels + p * s.Q + q] = (a0 + a1) + b[o];
                    }
                }
    free(col);
}
