/*--- ktwin
op      = "gelu"
types   = { x = "f64", y = "f64" }
compute = "f64"
args    = ["x", "y", { N = "u32" }]
---*/
// In double, x times the sigmoid of twice the argument.
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void gelu_f64_sigmoid(const double *x, double *y, uint32_t N)
{
    const double k = 1.5957691216057308;
    for (uint32_t n = 0; n < N; n++) {
        double v = x[n];
        y[n] = v / (1.0 + exp(-k * (v + 0.044715 * v * v * v)));
    }
}
