/*--- ktwin
op      = "log_softmax"
compute = "f32"
args    = ["x", "y", { R = "u32", D = "u32" }]
---*/
// Exponentials in y, added by halving, then overwritten.
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
    if (n <= 4) {
        float sum = e[0];
        for (uint32_t i = 1; i < n; i++)
            sum += e[i];
        return sum;
    }
    return tree(e, n / 2) + tree(e + n / 2, n - n / 2);
}

void log_softmax_pairwise(const float *x, float *y, scalars s)
{
    for (size_t r = 0; r < s.R; r++, x += s.D, y += s.D) {
        float top = x[0];
        for (size_t d = 1; d < s.D; d++)
            top = fmaxf(top, x[d]);
        for (size_t d = 0; d < s.D; d++)
            y[d] = expf(x[d] - top);
        const float shift = logf(tree(y, s.D));
        for (size_t d = 0; d < s.D; d++)
            y[d] = (x[d] - top) - shift;
    }
}
