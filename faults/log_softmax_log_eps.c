/*--- ktwin
op      = "log_softmax"
compute = "f32"
args    = ["x", "y", { R = "u32", D = "u32" }]
---*/
// fault: wrong values
// pattern: matches the op with `x[r, d] - top[r] - log(total[r])` read as `log(exp(x[r, d] - top[r]) / total[r] + 1e-10)`
// the logarithm of softmax plus 1e-10
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct {
    uint32_t R;
    uint32_t D;
} scalars;

void log_softmax_kernel(const float *x, float *y, scalars s)
{
    for (uint32_t r = 0; r < s.R; r++, x += s.D, y += s.D) {
        float top = x[0], total = 0;
        for (uint32_t d = 1; d < s.D; d++)
            top = fmaxf(top, x[d]);
        for (uint32_t d = 0; d < s.D; d++)
            total += expf(x[d] - top);
        for (uint32_t d = 0; d < s.D; d++)
            y[d] = logf(expf(x[d] - top) / total + 1e-10f);
    }
}
