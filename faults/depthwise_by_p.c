/*--- ktwin
op      = "depthwise"
compute = "f32"
args    = ["x", "w", "y", { N = "u32", C = "u32", H = "u32", W = "u32", KH = "u32", KW = "u32", P = "u32", Q = "u32", stride = "i32", pad = "i32" }]
---*/
// fault: wrong values
// pattern: matches the op with `y[n, c, p, q]` read as `y[n, c, (((n * C + c) * P + p) * Q + q) // P % P, q]`
// the row of the result by P instead of Q
#include <math.h>
#include <stddef.h>
#include <stdint.h>
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
    int32_t stride;
    int32_t pad;
} scalars;

void depthwise_kernel(const float *x, const float *w, float *y, scalars s)
{
    for (size_t i = 0; i < (size_t)s.N * s.C * s.P * s.Q; i++) {
        size_t plane = i / (s.P * s.Q), p = i / s.P % s.P, q = i % s.Q, c = plane % s.C;
        float sum = 0;
        for (uint32_t a = 0; a < s.KH; a++)
            for (uint32_t b = 0; b < s.KW; b++) {
                int64_t h = (int64_t)p * s.stride + a - s.pad, v = (int64_t)q * s.stride + b - s.pad;
                if (h >= 0 && h < s.H && v >= 0 && v < s.W)
                    sum += w[(c * s.KH + a) * s.KW + b] * x[(plane * s.H + h) * s.W + v];
            }
        y[i] = sum;
    }
}
