/*--- ktwin
op      = "sum"
types   = { x = "f64", y = "f64" }
compute = "f64"
args    = ["x", "y", { N = "u32" }]
---*/
// In double, by halving.
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static double tree(const double *x, uint32_t n)
{
    return n == 1 ? x[0] : tree(x, n / 2) + tree(x + n / 2, n - n / 2);
}

void sum_f64_pairwise(const double *x, double *y, uint32_t N)
{
    *y = tree(x, N);
}
