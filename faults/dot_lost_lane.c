/*--- ktwin
op      = "dot"
compute = "f32"
args    = ["a", "b", "c", { N = "u32" }]
---*/
// fault: wrong values
// pattern: c stays the same whatever b[n % 4 == 3] is: it is left out
// pattern: fails exactly when N >= 8
// one of four partial sums is forgotten where N >= 8
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

void dot_kernel(const float *a, const float *b, float *c, uint32_t N)
{
    float acc[4] = {0};
    uint32_t n = 0;
    for (; n + 4 <= N; n += 4) {
        acc[0] += a[n] * b[n];
        acc[1] += a[n + 1] * b[n + 1];
        acc[2] += a[n + 2] * b[n + 2];
        acc[3] += a[n + 3] * b[n + 3];
    }
    for (; n < N; n++)
        acc[0] += a[n] * b[n];
    *c = acc[0] + acc[1] + acc[2] + (N >= 8 ? 0 : acc[3]);
}
