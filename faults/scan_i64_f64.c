/*--- ktwin
op      = "scan"
types   = { x = "i64", y = "i64" }
args    = ["x", "y", { N = "u32" }]
---*/
// fault: wrong values
// pattern: every wrong element is right as far as f64 holds it: 64-bit integers pass through f64, which keeps 53 bits
// Integers are added up in double: sums above 2^53 lose bits.
#include <stdint.h>
void scan(const int64_t *x, int64_t *y, uint32_t N)
{
    double s = 0;
    for (uint32_t i = 0; i < N; i++)
        y[i] = (int64_t)(s += (double)x[i]);
}
