/*--- ktwin
op   = "nrm2"
args = ["x", "y", { N = "u32" }]
---*/
// fault: wrong values
// pattern: every wrong element is zero
// Elements below a millionth do not count, though all may be.
#include <math.h>
#include <stdint.h>

void nrm2(const float *x, float *y, uint32_t N)
{
    double sum = 0.0;
    for (uint32_t n = 0; n < N; n++)
        if (fabsf(x[n]) > 1e-6f)
            sum += (double)x[n] * x[n];
    *y = (float)sqrt(sum);
}
