/*--- ktwin
op      = "log_softmax"
compute = "f32"
args    = ["x", "y", { R = "u32", D = "u32" }]
---*/
// (x - top) - log(sum).
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    uint32_t R;
    uint32_t D;
} scalars;

void log_softmax_plain(const float *x, float *y, scalars s)
{
    for (size_t r = 0; r < s.R; r++, x += s.D, y += s.D) {
        float top = x[0], sum = 0;
        for (size_t d = 1; d < s.D; d++)
            if (x[d] > top) top = x[d];
        for (size_t d = 0; d < s.D; d++)
            sum += expf(x[d] - top);
        float l = logf(sum);
        for (size_t d = 0; d < s.D; d++)
            y[d] = x[d] - top - l;
    }
}
