/*--- ktwin
op      = "variance"
compute = "f32"
args    = ["x", "y", { N = "u32" }]
---*/
// Both sums by recursive halving.
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static float halves(const float *x, uint32_t n, float centre, int squared)
{
    if (n <= 8) {
        float sum = 0;
        for (uint32_t i = 0; i < n; i++) {
            float c = x[i] - centre;
            sum += squared ? c * c : c;
        }
        return sum;
    }
    uint32_t half = n / 2;
    return halves(x, half, centre, squared) + halves(x + half, n - half, centre, squared);
}

void variance_pairwise(const float *x, float *y, uint32_t N)
{
    float mean = halves(x, N, 0.0f, 0) / (float)N;
    y[0] = halves(x, N, mean, 1) / (float)N;
}
