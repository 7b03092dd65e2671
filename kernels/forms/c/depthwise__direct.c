/*--- ktwin
op      = "depthwise"
compute = "f32"
args    = ["x", "w", "y",
           { N = "u32", C = "u32", H = "u32", W = "u32", KH = "u32", KW = "u32", P = "u32", Q = "u32", stride = "u32", pad = "u32" }]
---*/
// Bounds of the taps computed before the loops.
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

static uint32_t lower(uint32_t at, uint32_t pad)
{
    return at < pad ? pad - at : 0;
}

void depthwise_direct(const float *x, const float *w, float *y, scalars s)
{
    for (size_t n = 0; n < s.N; n++)
        for (size_t c = 0; c < s.C; c++)
            for (uint32_t p = 0; p < s.P; p++)
                for (uint32_t q = 0; q < s.Q; q++) {
                    const float *plane = x + (n * s.C + c) * s.H * s.W, *f = w + c * s.KH * s.KW;
                    uint32_t h = p * s.stride, v = q * s.stride;
                    float sum = 0;
                    for (uint32_t i = lower(h, s.pad); i < s.KH && h + i < s.H + s.pad; i++)
                        for (uint32_t j = lower(v, s.pad); j < s.KW && v + j < s.W + s.pad; j++)
                            sum += f[i * s.KW + j] * plane[(size_t)(h + i - s.pad) * s.W + (v + j - s.pad)];
                    y[((n * s.C + c) * s.P + p) * s.Q + q] = sum;
                }
}
