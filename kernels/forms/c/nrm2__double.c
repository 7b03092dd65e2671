/*--- ktwin
op      = "nrm2"
compute = "f32"
args    = ["x", "y", { N = "u32" }]
---*/
// Sum of squares in double.
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void nrm2_double(const float *x, float *y, uint32_t N)
{
    double sum = 0;
    for (uint32_t n = 0; n < N; n++)
        sum += (double)x[n] * x[n];
    *y = (float)sqrt(sum);
}
