/*--- ktwin
op      = "row_variance"
compute = "f32"
args    = ["x", "y", { R = "u32", D = "u32" }]
---*/
// One pass of double sums of distances from the first element.
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    uint32_t R;
    uint32_t D;
} scalars;

void row_variance_shifted_double(const float *x, float *y, scalars s)
{
    for (size_t r = 0; r < s.R; r++, x += s.D) {
        const double k = x[0];
        double s1 = 0, s2 = 0;
        for (size_t d = 0; d < s.D; d++) {
            double c = x[d] - k;
            s1 += c;
            s2 += c * c;
        }
        double var = (s2 - s1 * s1 / s.D) / s.D;
        y[r] = (float)(var > 0 ? var : 0);
    }
}
