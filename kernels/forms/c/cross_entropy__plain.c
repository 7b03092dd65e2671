/*--- ktwin
op      = "cross_entropy"
compute = "f32"
args    = ["x", "target", "loss", { T = "u32", V = "u32" }]
---*/
// Log of the sum minus the target's distance from the maximum.
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    uint32_t T;
    uint32_t V;
} scalars;

void cross_entropy_plain(const float *x, const uint32_t *target, float *loss, scalars s)
{
    for (size_t t = 0; t < s.T; t++) {
        const float *row = x + t * s.V;
        float top = row[0], total = 0;
        for (size_t v = 1; v < s.V; v++)
            top = fmaxf(top, row[v]);
        for (size_t v = 0; v < s.V; v++)
            total += expf(row[v] - top);
        loss[t] = logf(total) - (row[target[t]] - top);
    }
}
