/*--- ktwin
op   = "variance"
args = ["x", "y", { N = "u32" }]
---*/
// fault: wrong values
// pattern: none
// one pass over what is left after the first element is subtracted, which cancels where that is like no other
#include <stdint.h>

void variance(const float *x, float *y, uint32_t n)
{
    float sum = 0, squares = 0;
    for (uint32_t i = 0; i < n; i++) {
        float rest = x[i] - x[0];
        sum += rest;
        squares += rest * rest;
    }
    y[0] = (squares - sum * sum / n) / n;
}
