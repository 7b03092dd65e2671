/*--- ktwin
op      = "variance"
compute = "f32"
args    = ["x", "y", { N = "u32" }]
---*/
// Mean and variance as sums of terms times 1 / N.
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void variance_scaled_terms(const float *x, float *y, uint32_t N)
{
    const float share = 1.0f / (float)N;
    float mu = 0, var = 0;
    for (uint32_t n = 0; n < N; n++)
        mu += share * x[n];
    for (uint32_t n = 0; n < N; n++)
        var += share * ((x[n] - mu) * (x[n] - mu));
    *y = var;
}
