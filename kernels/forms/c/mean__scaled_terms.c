/*--- ktwin
op      = "mean"
compute = "f32"
args    = ["x", "y", { N = "u32" }]
---*/
// Eight sums of elements times 1 / N.
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void mean_scaled_terms(const float *x, float *y, uint32_t N)
{
    const float share = 1.0f / (float)N;
    float lane[8] = {0};
    for (uint32_t n = 0; n < N; n++)
        lane[n & 7] += x[n] * share;
    float sum = 0;
    for (int j = 0; j < 8; j++)
        sum += lane[j];
    y[0] = sum;
}
