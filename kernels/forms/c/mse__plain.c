/*--- ktwin
op      = "mse"
compute = "f32"
args    = ["a", "b", "loss", { N = "u32" }]
---*/
// Squared differences, divided by N.
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void mse_plain(const float *a, const float *b, float *loss, uint32_t N)
{
    float sum = 0;
    for (uint32_t n = 0; n < N; n++)
        sum += (a[n] - b[n]) * (a[n] - b[n]);
    loss[0] = sum / (float)N;
}
