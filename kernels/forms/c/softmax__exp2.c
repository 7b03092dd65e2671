/*--- ktwin
op      = "softmax"
compute = "f32"
args    = ["x", "y", { R = "u32", D = "u32" }]
---*/
// Powers of two of the difference times log2(e), reciprocal multiply.
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    uint32_t R;
    uint32_t D;
} scalars;

void softmax_exp2(const float *x, float *y, scalars s)
{
    const float log2e = 1.44269504088896340736f;
    for (size_t r = 0; r < s.R; r++) {
        const float *in = x + r * s.D;
        float *out = y + r * s.D;
        float top = -INFINITY;
        for (size_t d = 0; d < s.D; d++)
            top = fmaxf(top, in[d]);
        float sum = 0;
        for (size_t d = 0; d < s.D; d++)
            sum += out[d] = exp2f((in[d] - top) * log2e);
        float inv = 1.0f / sum;
        for (size_t d = 0; d < s.D; d++)
            out[d] *= inv;
    }
}
