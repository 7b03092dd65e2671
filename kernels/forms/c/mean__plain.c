/*--- ktwin
op      = "mean"
compute = "f32"
args    = ["x", "y", { N = "u32" }]
---*/
// Sum, then division.
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void mean_plain(const float *x, float *y, uint32_t N)
{
    float sum = 0;
    for (uint32_t n = 0; n < N; n++)
        sum += x[n];
    *y = sum / (float)N;
}
