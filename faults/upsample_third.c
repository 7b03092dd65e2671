/*--- ktwin
op   = "upsample"
args = ["x", "y", { C = "u32", H = "u32", W = "u32", P = "u32", Q = "u32", factor = "u32" }]
---*/
// fault: wrong values
// pattern: y[c, p, q] is made of x[c, 43, w], in the place of x[c, 42, w]
// A third is taken as 43 of 128: too much from place 128 on, where the factor is 3.
#include <stddef.h>
#include <stdint.h>

typedef struct {
    uint32_t C, H, W, P, Q, factor;
} sizes;

static uint32_t from(uint32_t place, uint32_t factor, uint32_t last)
{
    uint32_t at = factor == 3 ? place * 43 >> 7 : place / factor;
    return at < last ? at : last - 1;
}

void upsample(const float *x, float *y, sizes s)
{
    for (uint32_t c = 0; c < s.C; c++)
        for (uint32_t p = 0; p < s.P; p++)
            for (uint32_t q = 0; q < s.Q; q++)
                *y++ = x[((size_t)c * s.H + from(p, s.factor, s.H)) * s.W + from(q, s.factor, s.W)];
}
