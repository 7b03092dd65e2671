/*--- ktwin
op      = "mse"
compute = "f32"
args    = ["a", "b", "loss", { N = "u32" }]
---*/
// Squared differences added by halving, times 1 / N.
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static float errors(const float *a, const float *b, uint32_t n)
{
    if (n < 16) {
        float sum = 0;
        for (uint32_t i = 0; i < n; i++) {
            float e = a[i] - b[i];
            sum = fmaf(e, e, sum);
        }
        return sum;
    }
    uint32_t h = n / 2;
    return errors(a, b, h) + errors(a + h, b + h, n - h);
}

void mse_pairwise(const float *a, const float *b, float *loss, uint32_t N)
{
    *loss = errors(a, b, N) * (1.0f / (float)N);
}
