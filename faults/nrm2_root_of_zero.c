/*--- ktwin
op   = "nrm2"
args = ["x", "y", { N = "u32" }]
---*/
// fault: wrong class
// pattern: every wrong element is NaN
// The root is the sum times its reciprocal root: of nothing but zeros that is 0 times infinity.
#include <math.h>
#include <stdint.h>

void nrm2(const float *x, float *y, uint32_t N)
{
    double sum = 0.0;
    for (uint32_t n = 0; n < N; n++)
        sum += (double)x[n] * x[n];
    *y = (float)(sum * (1.0 / sqrt(sum)));
}
