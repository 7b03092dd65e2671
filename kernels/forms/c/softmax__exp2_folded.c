/*--- ktwin
op      = "softmax"
compute = "f32"
args    = ["x", "y", { R = "u32", D = "u32" }]
---*/
// Exp2f(x * log2e - top * log2e), the maximum scaled once.
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    uint32_t R;
    uint32_t D;
} scalars;

void softmax_exp2_folded(const float *x, float *y, scalars s)
{
    const float log2e = 1.4426950408889634f;
    for (size_t r = 0; r < s.R; r++, x += s.D, y += s.D) {
        float top = x[0];
        for (size_t d = 1; d < s.D; d++)
            top = x[d] > top ? x[d] : top;
        const float scaled = top * log2e;
        float sum = 0;
        for (size_t d = 0; d < s.D; d++) {
            float e = exp2f(fmaf(x[d], log2e, -scaled));
            y[d] = e;
            sum += e;
        }
        for (size_t d = 0; d < s.D; d++)
            y[d] = y[d] / sum;
    }
}
