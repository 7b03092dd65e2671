/*--- ktwin
op      = "sum"
compute = "f32"
args    = ["x", "y", { N = "u32" }]
---*/
// Recursive halving.
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static float tree(const float *x, uint32_t n)
{
    return n == 1 ? x[0] : tree(x, n / 2) + tree(x + n / 2, n - n / 2);
}

void sum_pairwise(const float *x, float *y, uint32_t N)
{
    y[0] = tree(x, N);
}
