/*--- ktwin
op      = "layernorm"
types   = { x = "f64", w = "f64", b = "f64", y = "f64" }
compute = "f64"
args    = ["x", "w", "b", "y", { R = "u32", D = "u32", eps = "f64" }]
---*/
// In double, two passes.
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

void layernorm_f64_two_pass(const double *x, const double *w, const double *b, double *y, scalars s)
{
    for (size_t r = 0; r < s.R; r++, x += s.D, y += s.D) {
        double mu = 0, sq = 0;
        for (size_t d = 0; d < s.D; d++)
            mu += x[d];
        mu /= s.D;
        for (size_t d = 0; d < s.D; d++)
            sq += (x[d] - mu) * (x[d] - mu);
        double rstd = 1.0 / sqrt(sq / s.D + s.eps);
        for (size_t d = 0; d < s.D; d++)
            y[d] = (x[d] - mu) * rstd * w[d] + b[d];
    }
}
