/*--- ktwin
op      = "variance"
types   = { x = "f64", y = "f64" }
compute = "f64"
args    = ["x", "y", { N = "u32" }]
---*/
// In double, Welford.
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void variance_f64_welford(const double *x, double *y, uint32_t N)
{
    double mean = 0, m2 = 0;
    for (uint32_t n = 0; n < N; n++) {
        double delta = x[n] - mean;
        mean += delta / (n + 1.0);
        m2 += delta * (x[n] - mean);
    }
    *y = m2 / N;
}
