/*--- ktwin
op      = "cross_entropy"
compute = "f32"
args    = ["x", "target", "loss", { T = "u32", V = "u32" }]
---*/
// Log-sum-exp by an online pass, minus the target's score.
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    uint32_t T;
    uint32_t V;
} scalars;

void cross_entropy_lse(const float *x, const uint32_t *target, float *loss, scalars s)
{
    for (uint32_t t = 0; t < s.T; t++, x += s.V) {
        float m = -INFINITY, l = 0;
        for (uint32_t v = 0; v < s.V; v++) {
            if (x[v] > m) {
                l *= expf(m - x[v]);
                m = x[v];
            }
            l += expf(x[v] - m);
        }
        loss[t] = (m - x[target[t]]) + logf(l);
    }
}
