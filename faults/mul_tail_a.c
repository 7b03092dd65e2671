/*--- ktwin
op      = "mul"
compute = "f32"
args    = ["a", "b", "c", { N = "u32" }]
---*/
// fault: wrong values
// pattern: c[n] is made of b[n + 1], in the place of b[n]
// the rest is multiplied by the last element of b
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

void mul_kernel(const float *a, const float *b, float *c, uint32_t N)
{
    uint32_t n = 0;
    for (; n + 8 <= N; n += 8)
        for (int i = 0; i < 8; i++)
            c[n + i] = a[n + i] * b[n + i];
    for (; n < N; n++)
        c[n] = a[n] * b[N - 1];
}
