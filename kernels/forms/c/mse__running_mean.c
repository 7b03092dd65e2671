/*--- ktwin
op      = "mse"
compute = "f32"
args    = ["a", "b", "loss", { N = "u32" }]
---*/
// A running mean of the squared differences.
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void mse_running_mean(const float *a, const float *b, float *loss, uint32_t N)
{
    float mean = 0;
    for (uint32_t n = 0; n < N; n++) {
        float e = a[n] - b[n];
        mean += (e * e - mean) / (float)(n + 1);
    }
    *loss = mean;
}
