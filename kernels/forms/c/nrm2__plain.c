/*--- ktwin
op      = "nrm2"
compute = "f32"
args    = ["x", "y", { N = "u32" }]
---*/
// Root of the sum of squares.
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void nrm2_plain(const float *x, float *y, uint32_t N)
{
    float sum = 0;
    for (uint32_t n = 0; n < N; n++)
        sum += x[n] * x[n];
    y[0] = sqrtf(sum);
}
