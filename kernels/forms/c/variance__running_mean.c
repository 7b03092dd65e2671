/*--- ktwin
op      = "variance"
compute = "f32"
args    = ["x", "y", { N = "u32" }]
---*/
// Mean as a running mean, distances in a second pass.
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void variance_running_mean(const float *x, float *y, uint32_t N)
{
    float mean = x[0];
    for (uint32_t n = 1; n < N; n++)
        mean += (x[n] - mean) / (float)(n + 1);
    float sum = 0;
    for (uint32_t n = 0; n < N; n++) {
        float c = x[n] - mean;
        sum += c * c;
    }
    y[0] = sum / (float)N;
}
