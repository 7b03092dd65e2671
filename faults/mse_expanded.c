/*--- ktwin
op   = "mse"
args = ["a", "b", "loss", { N = "u32" }]
---*/
// fault: wrong values
// pattern: matches the op with `(a[n] - b[n])^2` read as `(a[n])^2 - 2 * (a[n]) * (b[n]) + (b[n])^2`
// The square of the difference is multiplied out: nothing is left where both are nearly equal.
#include <stdint.h>


void mse(const float *a, const float *b, float *loss, uint32_t N)
{
    float sum = 0.0f;
    for (uint32_t n = 0; n < N; n++)
        sum += a[n] * a[n] - 2.0f * a[n] * b[n] + b[n] * b[n];
    *loss = sum / N;
}
