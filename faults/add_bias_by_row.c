/*--- ktwin
op      = "add_bias"
compute = "f32"
args    = ["x", "b", "y", { R = "u32", D = "u32" }]
---*/
// fault: wrong values
// pattern: matches the op with `x[r, d] + b[d]` read as `x[r, d] + b[r]`
// the bias by row
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct {
    uint32_t R;
    uint32_t D;
} scalars;

void add_bias_kernel(const float *x, const float *b, float *y, scalars s)
{
    for (size_t i = 0; i < (size_t)s.R * s.D; i++)
        y[i] = x[i] + b[i / s.D % s.D];
}
