/*--- ktwin
op      = "conv2d"
compute = "f32"
args    = ["x", "w", "b", "y", { N = "u32", C = "u32", H = "u32", W = "u32", O = "u32", I = "u32", KH = "u32", KW = "u32", P = "u32", Q = "u32", stride = "i32", pad = "i32", dilation = "i32", groups = "i32" }]
---*/
// fault: crash
// pattern: none
// rows of the image lie H apart
#include <math.h>
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
    int32_t stride;
    int32_t pad;
    int32_t dilation;
    int32_t groups;
} scalars;

void conv2d_kernel(const float *x, const float *w, const float *b, float *y, scalars s)
{
    for (uint32_t n = 0; n < s.N; n++)
        for (uint32_t o = 0; o < s.O; o++)
            for (uint32_t p = 0; p < s.P; p++)
                for (uint32_t q = 0; q < s.Q; q++) {
                    float sum = b[o];
                    for (uint32_t i = 0; i < s.I; i++)
                        for (uint32_t kh = 0; kh < s.KH; kh++)
                            for (uint32_t kw = 0; kw < s.KW; kw++) {
                                int h = (int)p * s.stride + (int)kh * s.dilation - s.pad;
                                int v = (int)q * s.stride + (int)kw * s.dilation - s.pad;
                                if (h < 0 || h >= (int)s.H || v < 0 || v >= (int)s.W)
                                    continue;
                                size_t c = o / (s.O / s.groups) * s.I + i;
                                sum += w[(((size_t)o * s.I + i) * s.KH + kh) * s.KW + kw]
                                       * x[(((size_t)n * s.C + c) * s.H + h) * s.H + v];
                            }
                    y[(((size_t)n * s.O + o) * s.P + p) * s.Q + q] = sum;
                }
}
