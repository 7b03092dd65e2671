/*--- ktwin
op      = "rmsnorm"
types   = { x = "f64", w = "f64", y = "f64" }
compute = "f64"
args    = ["x", "w", "y", { R = "u32", D = "u32", eps = "f64" }]
---*/
// In double, reciprocal root.
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    uint32_t R;
    uint32_t D;
    double eps;
} scalars;

void rmsnorm_f64_plain(const double *x, const double *w, double *y, scalars s)
{
    for (size_t r = 0; r < s.R; r++) {
        double ss = 0;
        for (size_t d = 0; d < s.D; d++)
            ss += x[r * s.D + d] * x[r * s.D + d];
        double k = 1.0 / sqrt(ss / s.D + s.eps);
        for (size_t d = 0; d < s.D; d++)
            y[r * s.D + d] = k * x[r * s.D + d] * w[d];
    }
}
