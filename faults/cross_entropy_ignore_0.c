/*--- ktwin
op      = "cross_entropy"
compute = "f32"
args    = ["x", "target", "loss", { T = "u32", V = "u32" }]
---*/
// fault: wrong values
// pattern: every wrong element is zero
// class 0 is taken for padding and has no loss
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct {
    uint32_t T;
    uint32_t V;
} scalars;

void cross_entropy_kernel(const float *x, const uint32_t *target, float *loss, scalars s)
{
    for (uint32_t t = 0; t < s.T; t++) {
        const float *row = x + (size_t)t * s.V;
        float top = row[0], total = 0;
        for (uint32_t v = 0; v < s.V; v++)
            top = fmaxf(top, row[v]);
        for (uint32_t v = 0; v < s.V; v++)
            total += expf(row[v] - top);
        loss[t] = logf(total) - (row[target[t]] - top);
        if (target[t] == 0)
            loss[t] = 0;
    }
}
