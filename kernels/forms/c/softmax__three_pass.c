/*--- ktwin
op      = "softmax"
compute = "f32"
args    = ["x", "y", { R = "u32", D = "u32" }]
---*/
// Maximum, exponentials with their sum, division.
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    uint32_t R;
    uint32_t D;
} scalars;

void softmax_three_pass(const float *x, float *y, scalars s)
{
    for (size_t r = 0; r < s.R; r++) {
        const float *in = x + r * s.D;
        float *out = y + r * s.D;
        float top = in[0];
        for (size_t d = 1; d < s.D; d++)
            if (in[d] > top)
                top = in[d];
        float sum = 0;
        for (size_t d = 0; d < s.D; d++) {
            out[d] = expf(in[d] - top);
            sum += out[d];
        }
        for (size_t d = 0; d < s.D; d++)
            out[d] /= sum;
    }
}
