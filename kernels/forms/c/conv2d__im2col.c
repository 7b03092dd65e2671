/*--- ktwin
op      = "conv2d"
compute = "f32"
args    = ["x", "w", "b", "y",
           { N = "u32", C = "u32", H = "u32", W = "u32", O = "u32", I = "u32", KH = "u32", KW = "u32", P = "u32", Q = "u32", stride = "u32", pad = "u32", dilation = "u32", groups = "u32" }]
---*/
// Column matrix of a group, then a matrix product.
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

void conv2d_im2col(const float *x, const float *w, const float *b, float *y, scalars s)
{
    const size_t rows = (size_t)s.I * s.KH * s.KW, cols = (size_t)s.P * s.Q, per = s.O / s.groups;
    float *m = malloc(sizeof *m * rows * cols);
    for (size_t n = 0; n < s.N; n++)
        for (size_t g = 0; g < s.groups; g++) {
            float *cell = m;
            for (size_t i = 0; i < s.I; i++)
                for (size_t kh = 0; kh < s.KH; kh++)
                    for (size_t kw = 0; kw < s.KW; kw++)
                        for (size_t p = 0; p < s.P; p++)
                            for (size_t q = 0; q < s.Q; q++) {
                                long h = (long)(p * s.stride + kh * s.dilation) - (long)s.pad;
                                long v = (long)(q * s.stride + kw * s.dilation) - (long)s.pad;
                                int in = h >= 0 && h < (long)s.H && v >= 0 && v < (long)s.W;
                                *cell++ = in ? x[((n * s.C + g * s.I + i) * s.H + h) * s.W + v] : 0.0f;
                            }
            for (size_t o = g * per; o < (g + 1) * per; o++) {
                float *out = y + (n * s.O + o) * cols;
                for (size_t j = 0; j < cols; j++)
                    out[j] = 0;
                for (size_t r = 0; r < rows; r++)
                    for (size_t j = 0; j < cols; j++)
                        out[j] += w[o * rows + r] * m[r * cols + j];
                for (size_t j = 0; j < cols; j++)
                    out[j] += b[o];
            }
        }
    free(m);
}
