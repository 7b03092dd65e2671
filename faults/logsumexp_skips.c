/*--- ktwin
op   = "logsumexp"
args = ["x", "y", { R = "u32", D = "u32" }]
---*/
// fault: wrong values
// pattern: the wrong elements agree to
// what lies more than 11 below the largest is left out, however many elements do
#include <math.h>
#include <stdint.h>

struct sizes { uint32_t R, D; };

void logsumexp(const float *x, float *y, struct sizes s)
{
    for (uint32_t r = 0; r < s.R; r++, x += s.D) {
        float most = -INFINITY, sum = 0;
        for (uint32_t d = 0; d < s.D; d++)
            most = fmaxf(most, x[d]);
        for (uint32_t d = 0; d < s.D; d++)
            if (!(x[d] < most - 11))
                sum += expf(x[d] - most);
        y[r] = most + logf(sum);
    }
}
