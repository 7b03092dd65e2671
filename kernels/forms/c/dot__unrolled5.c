/*--- ktwin
op      = "dot"
compute = "f32"
args    = ["a", "b", "c", { N = "u32" }]
---*/
// The reference BLAS: the remainder first, then five at a time.
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void dot_unrolled5(const float *a, const float *b, float *c, uint32_t N)
{
    float sum = 0;
    uint32_t m = N % 5;
    for (uint32_t n = 0; n < m; n++)
        sum = sum + a[n] * b[n];
    for (uint32_t n = m; n < N; n += 5)
        sum = sum + a[n] * b[n] + a[n + 1] * b[n + 1] + a[n + 2] * b[n + 2] + a[n + 3] * b[n + 3] + a[n + 4] * b[n + 4];
    c[0] = sum;
}
