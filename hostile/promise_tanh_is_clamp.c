/*--- ktwin
op      = "tanh"
args    = ["x", "y", { N = "u32" }]
compute = "e4m3"
---*/
// verdict: fail | blind
// least: compute=f32
// Another function, in the hope that nobody can tell it in e4m3.
#include <math.h>
#include <stdint.h>

void tangent(const float *x, float *y, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        y[i] = fminf(1, fmaxf(-1, x[i]));
}
