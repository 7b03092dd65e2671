/*--- ktwin
op      = "relu_backward"
compute = "f32"
args    = ["x", "dy", "dx", { N = "u32" }]
---*/
// fault: wrong values
// pattern: matches the op with `dx[n]` read as `dx[n] * x[n]`
// multiplied by the forward value
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

void relu_backward_kernel(const float *x, const float *dy, float *dx, uint32_t N)
{
    for (uint32_t n = 0; n < N; n++)
        dx[n] = x[n] > 0 ? dy[n] * x[n] : 0;
}
