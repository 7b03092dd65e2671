/*--- ktwin
op   = "upsample"
args = ["x", "y", { C = "u32", H = "u32", W = "u32", factor = "u32" }]
---*/
// fault: wrong values
// pattern: matches the op with memory laid out as x[H, W, C] and y[P, Q, C]
// Channels are taken to lie next to each other, as other frameworks have them.
#include <stddef.h>
#include <stdint.h>

typedef struct {
    uint32_t C, H, W, factor;
} sizes;

void upsample(const float *x, float *y, sizes s)
{
    uint32_t P = s.H * s.factor, Q = s.W * s.factor;
    for (uint32_t p = 0; p < P; p++)
        for (uint32_t q = 0; q < Q; q++) {
            const float *from = x + ((size_t)(p / s.factor) * s.W + q / s.factor) * s.C;
            float *to = y + ((size_t)p * Q + q) * s.C;
            for (uint32_t c = 0; c < s.C; c++)
                to[c] = from[c];
        }
}
