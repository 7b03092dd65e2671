/*--- ktwin
op      = "mean"
compute = "f32"
args    = ["x", "y", { N = "u32" }]
---*/
// A running mean.
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void mean_running(const float *x, float *y, uint32_t N)
{
    float mean = 0;
    for (uint32_t n = 0; n < N; n++)
        mean += (x[n] - mean) / (float)(n + 1);
    *y = mean;
}
