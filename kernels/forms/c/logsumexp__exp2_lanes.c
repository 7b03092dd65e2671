/*--- ktwin
op      = "logsumexp"
compute = "f32"
args    = ["x", "y", { R = "u32", D = "u32" }]
---*/
// Four sums of powers of two, the logarithm base two times ln 2.
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    uint32_t R;
    uint32_t D;
} scalars;

void logsumexp_exp2_lanes(const float *x, float *y, scalars s)
{
    for (size_t r = 0; r < s.R; r++, x += s.D) {
        float top = -INFINITY, l[4] = {0};
        for (size_t d = 0; d < s.D; d++)
            top = fmaxf(top, x[d]);
        for (size_t d = 0; d < s.D; d++)
            l[d & 3] += exp2f(1.44269504f * (x[d] - top));
        y[r] = fmaf(log2f((l[0] + l[1]) + (l[2] + l[3])), 0.693147181f, top);
    }
}
