/*--- ktwin
op      = "variance"
compute = "f32"
args    = ["x", "y", { N = "u32" }]
---*/
// Mean, then squared distances.
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void variance_two_pass(const float *x, float *y, uint32_t N)
{
    float mean = 0, sq = 0;
    for (uint32_t n = 0; n < N; n++)
        mean += x[n];
    mean /= (float)N;
    for (uint32_t n = 0; n < N; n++)
        sq += (x[n] - mean) * (x[n] - mean);
    y[0] = sq / (float)N;
}
