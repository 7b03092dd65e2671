/*--- ktwin
op      = "logsumexp"
compute = "f32"
args    = ["x", "y", { R = "u32", D = "u32" }]
---*/
// The largest element is left out of the sum, log1pf of the rest.
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    uint32_t R;
    uint32_t D;
} scalars;

void logsumexp_log1p(const float *x, float *y, scalars s)
{
    for (size_t r = 0; r < s.R; r++, x += s.D) {
        size_t best = 0;
        for (size_t d = 1; d < s.D; d++)
            if (x[d] > x[best])
                best = d;
        float rest = 0;
        for (size_t d = 0; d < s.D; d++)
            if (d != best)
                rest += expf(x[d] - x[best]);
        y[r] = x[best] + log1pf(rest);
    }
}
