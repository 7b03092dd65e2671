/*--- ktwin
op   = "depthwise"
args = ["x", "w", "y", { N = "u32", C = "u32", H = "u32", W = "u32", KH = "u32", KW = "u32", P = "u32", Q = "u32",
        stride = "u32", pad = "u32" }]
---*/
// fault: wrong values
// pattern: matches the op with `x[n, c, p * stride + kh - pad, q * stride + kw - pad] else 0` read as `x[n, c, (p * stride + kh - pad) * W + (q * stride + kw - pad)] else 0`
// Windows keep inside the image by rows, and wrap to the next row at its right edge.
#include <stdint.h>

typedef struct {
    uint32_t N, C, H, W, KH, KW, P, Q, stride, pad;
} sizes_t;

void depthwise(const float *x, const float *w, float *y, sizes_t s)
{
    const int32_t H = (int32_t)s.H, W = (int32_t)s.W;
    for (uint32_t plane = 0; plane < s.N * s.C; plane++)
        for (uint32_t p = 0; p < s.P; p++)
            for (uint32_t q = 0; q < s.Q; q++) {
                float sum = 0.0f;
                for (uint32_t kh = 0; kh < s.KH; kh++)
                    for (uint32_t kw = 0; kw < s.KW; kw++) {
                        const int32_t h = (int32_t)(p * s.stride + kh) - (int32_t)s.pad;
                        const int32_t v = (int32_t)(q * s.stride + kw) - (int32_t)s.pad;
                        if (h >= 0 && h < H && v >= 0 && h * W + v < H * W)
                            sum += w[(plane % s.C * s.KH + kh) * s.KW + kw] * x[(int32_t)plane * H * W + h * W + v];
                    }
                y[(plane * s.P + p) * s.Q + q] = sum;
            }
}
