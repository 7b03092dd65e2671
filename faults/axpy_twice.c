/*--- ktwin
op      = "axpy"
compute = "f32"
args    = ["x", "y", { N = "u32", alpha = "f32" }]
---*/
// fault: wrong values
// pattern: fails only where N % 4 == 1, in 19 of 22 such cases
// the last element is added twice where N % 4 == 1
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct {
    uint32_t N;
    float alpha;
} scalars;

void axpy_kernel(const float *x, float *y, scalars s)
{
    for (uint32_t n = 0; n < s.N; n++)
        for (int i = 0; i < 1 + (n == s.N - 1 && s.N % 4 == 1); i++)
            y[n] += s.alpha * x[n];
}
