/*--- ktwin
op    = "silu_gate"
args  = ["g", "u", "y", { N = "i32" }]
types = { g = "f16", u = "f16", y = "f16" }
---*/
// fault: wrong class
// pattern: none
// The product of gate and input is kept within f16, in which it may not fit though the result does.
#include <math.h>

void silu_gate(const _Float16 *g, const _Float16 *u, _Float16 *y, int n)
{
    for (int i = 0; i < n; i++) {
        float gate = g[i], product = gate * (float)u[i];
        product = fminf(fmaxf(product, -65504.0f), 65504.0f);
        y[i] = (_Float16)(product / (1.0f + expf(-gate)));
    }
}
