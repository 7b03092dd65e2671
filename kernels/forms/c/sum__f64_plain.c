/*--- ktwin
op      = "sum"
types   = { x = "f64", y = "f64" }
compute = "f64"
args    = ["x", "y", { N = "u32" }]
---*/
// In double, from the first to the last.
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void sum_f64_plain(const double *x, double *y, uint32_t N)
{
    double total = 0;
    for (uint32_t n = 0; n < N; n++)
        total += x[n];
    *y = total;
}
