/*--- ktwin
op      = "dot"
types   = { a = "f64", b = "f64", c = "f64" }
compute = "f64"
args    = ["a", "b", "c", { N = "u32" }]
---*/
// In double, four sums.
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void dot_f64_four_lanes(const double *a, const double *b, double *c, uint32_t N)
{
    double t[4] = {0};
    for (uint32_t n = 0; n < N; n++)
        t[n % 4] += a[n] * b[n];
    c[0] = (t[0] + t[1]) + (t[2] + t[3]);
}
