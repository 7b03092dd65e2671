/*--- ktwin
op      = "outer"
compute = "f32"
args    = ["a", "b", "c", { M = "u32", N = "u32" }]
---*/
// fault: wrong values
// pattern: matches the op with `a[m] * b[n]` read as `a[m] * b[min(n, M - 1)]`
// columns beyond M take the last
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct {
    uint32_t M;
    uint32_t N;
} scalars;

void outer_kernel(const float *a, const float *b, float *c, scalars s)
{
    for (uint32_t m = 0; m < s.M; m++)
        for (uint32_t n = 0; n < s.N; n++)
            c[(size_t)m * s.N + n] = a[m] * b[(n < s.M ? n : s.M - 1)];
}
