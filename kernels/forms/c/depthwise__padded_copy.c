/*--- ktwin
op      = "depthwise"
compute = "f32"
args    = ["x", "w", "y",
           { N = "u32", C = "u32", H = "u32", W = "u32", KH = "u32", KW = "u32", P = "u32", Q = "u32", stride = "u32", pad = "u32" }]
---*/
// A plane with its border of zeros copied first, tap-major sums.
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

void depthwise_padded_copy(const float *x, const float *w, float *y, scalars s)
{
    const size_t H = s.H + 2 * (size_t)s.pad, W = s.W + 2 * (size_t)s.pad;
    float *big = malloc(sizeof *big * H * W);
    for (size_t plane = 0; plane < (size_t)s.N * s.C; plane++) {
        memset(big, 0, sizeof *big * H * W);
        for (size_t h = 0; h < s.H; h++)
            memcpy(big + (h + s.pad) * W + s.pad, x + (plane * s.H + h) * s.W, sizeof *big * s.W);
        float *out = y + plane * s.P * s.Q;
        memset(out, 0, sizeof *out * s.P * s.Q);
        for (size_t i = 0; i < s.KH; i++)
            for (size_t j = 0; j < s.KW; j++) {
                float tap = w[(plane % s.C * s.KH + i) * s.KW + j];
                for (size_t p = 0; p < s.P; p++)
                    for (size_t q = 0; q < s.Q; q++)
                        out[p * s.Q + q] += tap * big[(p * s.stride + i) * W + q * s.stride + j];
            }
    }
    free(big);
}
