/*--- ktwin
op      = "sum"
compute = "f32"
args    = ["x", "y", { N = "u32" }]
---*/
// Neumaier's compensated sum.
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void sum_neumaier(const float *x, float *y, uint32_t N)
{
    float sum = x[0], fix = 0;
    for (uint32_t n = 1; n < N; n++) {
        float t = sum + x[n];
        if (fabsf(sum) >= fabsf(x[n]))
            fix += (sum - t) + x[n];
        else
            fix += (x[n] - t) + sum;
        sum = t;
    }
    *y = sum + fix;
}
