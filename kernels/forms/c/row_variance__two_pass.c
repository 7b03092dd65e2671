/*--- ktwin
op      = "row_variance"
compute = "f32"
args    = ["x", "y", { R = "u32", D = "u32" }]
---*/
// Mean, then squared distances, row by row.
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    uint32_t R;
    uint32_t D;
} scalars;

void row_variance_two_pass(const float *x, float *y, scalars s)
{
    for (size_t r = 0; r < s.R; r++) {
        float mu = 0, acc = 0;
        for (size_t d = 0; d < s.D; d++)
            mu += x[r * s.D + d];
        mu /= s.D;
        for (size_t d = 0; d < s.D; d++) {
            float c = x[r * s.D + d] - mu;
            acc += c * c;
        }
        y[r] = acc / s.D;
    }
}
