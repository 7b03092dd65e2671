/*--- ktwin
op      = "mean"
compute = "f32"
args    = ["x", "y", { N = "u32" }]
---*/
// Mean distance from the first element, added to it.
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void mean_shifted(const float *x, float *y, uint32_t N)
{
    float sum = 0;
    for (uint32_t n = 1; n < N; n++)
        sum += x[n] - x[0];
    y[0] = x[0] + sum / (float)N;
}
