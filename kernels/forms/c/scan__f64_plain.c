/*--- ktwin
op      = "scan"
types   = { x = "f64", y = "f64" }
compute = "f64"
args    = ["x", "y", { N = "u32" }]
---*/
// In double, a running sum.
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void scan_f64_plain(const double *x, double *y, uint32_t N)
{
    double sum = 0;
    for (uint32_t n = 0; n < N; n++)
        y[n] = sum += x[n];
}
