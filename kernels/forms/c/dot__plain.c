/*--- ktwin
op      = "dot"
compute = "f32"
args    = ["a", "b", "c", { N = "u32" }]
---*/
// One sum.
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void dot_plain(const float *a, const float *b, float *c, uint32_t N)
{
    float sum = 0;
    for (uint32_t n = 0; n < N; n++)
        sum += a[n] * b[n];
    *c = sum;
}
