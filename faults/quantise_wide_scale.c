/*--- ktwin
op    = "quantise"
types = { y = "iq4_nl" }
args  = ["x", "y", { "R * K" = "i64" }]
dims  = { K = "multiple of 32" }
---*/
// fault: wrong values
// pattern: in every wrong block the codes are the nearest for its scale: that does not fit its numbers
// The scale is a third too large: every step is.
#include <math.h>
#include <stdint.h>
#include <string.h>

enum { N = 32 };

typedef struct { _Float16 scale; uint8_t codes[N / 2]; } block;

static const float ladder[16] = { -127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113 };

static int nearest(float v)
{
    int at = 0;
    for (int i = 1; i < 16; i++)
        if (fabsf(ladder[i] - v) < fabsf(ladder[at] - v))
            at = i;
    return at;
}

static void pack(const float *x, block *out)
{
    float extreme = 0, over = 0, under = 0;
    for (int i = 0; i < N; i++)
        if (fabsf(x[i]) > fabsf(extreme))
            extreme = x[i];
    const float unit = extreme != 0 ? ladder[0] / extreme : 0;
    for (int i = 0; i < N; i++) {
        const float step = ladder[nearest(unit * x[i])], share = x[i] / extreme, weight = extreme != 0 ? share * share : 0;
        over += extreme != 0 ? weight * step * share : 0;
        under += weight * step * step;
    }
    const float scale = under > 0 ? 1.35f * over / under * extreme : 0, inverse = scale != 0 ? 1 / scale : 0;
    out->scale = (_Float16)scale;
    for (int i = 0; i < N / 2; i++)
        out->codes[i] = (uint8_t)(nearest(inverse * x[i]) | nearest(inverse * x[i + N / 2]) << 4);
}

void quantise(const float *x, block *y, int64_t count)
{
    for (int64_t i = 0; i < count / N; i++)
        pack(x + i * N, y + i);
}
