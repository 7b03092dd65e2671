/*--- ktwin
op      = "softmax"
types   = { x = "f64", y = "f64" }
compute = "f64"
args    = ["x", "y", { R = "u32", D = "u32" }]
---*/
// In double, divided by the sum.
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    uint32_t R;
    uint32_t D;
} scalars;

void softmax_f64_three_pass(const double *x, double *y, scalars s)
{
    for (size_t r = 0; r < s.R; r++, x += s.D, y += s.D) {
        double top = x[0], sum = 0;
        for (size_t d = 1; d < s.D; d++)
            top = fmax(top, x[d]);
        for (size_t d = 0; d < s.D; d++)
            sum += y[d] = exp(x[d] - top);
        for (size_t d = 0; d < s.D; d++)
            y[d] /= sum;
    }
}
