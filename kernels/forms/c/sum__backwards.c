/*--- ktwin
op      = "sum"
compute = "f32"
args    = ["x", "y", { N = "u32" }]
---*/
// From the last to the first, in a double.
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void sum_backwards(const float *x, float *y, uint32_t N)
{
    double total = 0;
    while (N > 0)
        total += x[--N];
    *y = (float)total;
}
