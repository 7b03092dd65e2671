/*--- ktwin
op      = "mse"
compute = "f32"
args    = ["a", "b", "loss", { N = "u32" }]
---*/
// fault: wrong values
// pattern: matches the op with `(a[n] - b[n])^2` read as `abs((a[n] - b[n]))`
// the mean of absolute differences
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

void mse_kernel(const float *a, const float *b, float *loss, uint32_t N)
{
    float sum = 0;
    for (uint32_t n = 0; n < N; n++) {
        float d = a[n] - b[n];
        sum += fabsf(d);
    }
    *loss = sum / N;
}
