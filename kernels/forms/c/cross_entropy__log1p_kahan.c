/*--- ktwin
op      = "cross_entropy"
compute = "f32"
args    = ["x", "target", "loss", { T = "u32", V = "u32" }]
---*/
// The maximum left out, the rest compensated, log1pf.
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    uint32_t T;
    uint32_t V;
} scalars;

void cross_entropy_log1p_kahan(const float *x, const uint32_t *target, float *loss, scalars s)
{
    for (size_t t = 0; t < s.T; t++, x += s.V) {
        uint32_t best = 0;
        for (uint32_t v = 1; v < s.V; v++)
            if (x[v] > x[best])
                best = v;
        float sum = 0, c = 0;
        for (uint32_t v = 0; v < s.V; v++) {
            if (v == best)
                continue;
            float e = expf(x[v] - x[best]) - c, next = sum + e;
            c = (next - sum) - e;
            sum = next;
        }
        loss[t] = (x[best] - x[target[t]]) + log1pf(sum);
    }
}
