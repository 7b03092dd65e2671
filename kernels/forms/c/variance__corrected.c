/*--- ktwin
op      = "variance"
compute = "f32"
args    = ["x", "y", { N = "u32" }]
---*/
// Two passes, the second corrected by the sum of the distances.
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void variance_corrected(const float *x, float *y, uint32_t N)
{
    const float inv = 1.0f / (float)N;
    float total = 0;
    for (uint32_t n = 0; n < N; n++)
        total += x[n];
    const float mu = total * inv;
    float c1 = 0, c2 = 0;
    for (uint32_t n = 0; n < N; n++) {
        const float c = x[n] - mu;
        c1 += c;
        c2 += c * c;
    }
    y[0] = (c2 - c1 * c1 * inv) * inv;
}
