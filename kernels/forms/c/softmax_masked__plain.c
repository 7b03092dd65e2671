/*--- ktwin
op      = "softmax_masked"
compute = "f32"
args    = ["x", "mask", "y", { R = "u32", D = "u32" }]
---*/
// Masked elements skipped, rows without any left as zeros.
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    uint32_t R;
    uint32_t D;
} scalars;

void softmax_masked_plain(const float *x, const uint32_t *mask, float *y, scalars s)
{
    for (size_t r = 0; r < s.R; r++) {
        const float *in = x + r * s.D;
        const uint32_t *on = mask + r * s.D;
        float *out = y + r * s.D;
        float top = -INFINITY, sum = 0;
        for (size_t d = 0; d < s.D; d++)
            if (on[d] && in[d] > top)
                top = in[d];
        for (size_t d = 0; d < s.D; d++) {
            out[d] = on[d] ? expf(in[d] - top) : 0.0f;
            sum += out[d];
        }
        if (sum > 0)
            for (size_t d = 0; d < s.D; d++)
                out[d] /= sum;
    }
}
