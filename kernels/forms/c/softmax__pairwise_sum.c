/*--- ktwin
op      = "softmax"
compute = "f32"
args    = ["x", "y", { R = "u32", D = "u32" }]
---*/
// Exponentials stored, then added by halving.
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    uint32_t R;
    uint32_t D;
} scalars;

static float tree(const float *e, uint32_t n)
{
    if (n == 1)
        return e[0];
    return tree(e, n / 2) + tree(e + n / 2, n - n / 2);
}

void softmax_pairwise_sum(const float *x, float *y, scalars s)
{
    for (size_t r = 0; r < s.R; r++, x += s.D, y += s.D) {
        float top = x[0];
        for (uint32_t d = 1; d < s.D; d++)
            top = top < x[d] ? x[d] : top;
        for (uint32_t d = 0; d < s.D; d++)
            y[d] = expf(x[d] - top);
        float inv = 1.0f / tree(y, s.D);
        for (uint32_t d = 0; d < s.D; d++)
            y[d] *= inv;
    }
}
