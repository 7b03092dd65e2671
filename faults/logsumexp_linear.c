/*--- ktwin
op      = "logsumexp"
compute = "f32"
args    = ["x", "y", { R = "u32", D = "u32" }]
---*/
// fault: wrong values
// pattern: fails exactly when D >= 2
// the logarithm by a parabola
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct {
    uint32_t R;
    uint32_t D;
} scalars;

void logsumexp_kernel(const float *x, float *y, scalars s)
{
    for (uint32_t r = 0; r < s.R; r++, x += s.D) {
        // terms are joined in pairs: max + log(1 + exp(-difference))
        float acc = x[0];
        for (uint32_t d = 1; d < s.D; d++) {
            float hi = fmaxf(acc, x[d]), lo = fminf(acc, x[d]);
            acc = hi + fmaxf(0, 0.6931f - 0.5f * (hi - lo) + 0.1f * (hi - lo) * (hi - lo)) * (hi - lo < 2);
        }
        y[r] = acc;
    }
}
