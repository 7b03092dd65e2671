/*--- ktwin
op      = "variance"
compute = "f32"
args    = ["x", "y", { N = "u32" }]
---*/
// Welford's running mean and sum of squares.
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void variance_welford(const float *x, float *y, uint32_t N)
{
    float mean = 0, m2 = 0;
    for (uint32_t n = 0; n < N; n++) {
        float delta = x[n] - mean;
        mean += delta / (float)(n + 1);
        m2 += delta * (x[n] - mean);
    }
    *y = m2 / (float)N;
}
