/*--- ktwin
op      = "sum"
compute = "f32"
args    = ["x", "y", { N = "u32" }]
---*/
// From the first to the last.
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void sum_plain(const float *x, float *y, uint32_t N)
{
    float total = 0;
    for (uint32_t n = 0; n < N; n++)
        total += x[n];
    y[0] = total;
}
