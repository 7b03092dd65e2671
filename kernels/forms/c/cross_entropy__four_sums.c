/*--- ktwin
op      = "cross_entropy"
compute = "f32"
args    = ["x", "target", "loss", { T = "u32", V = "u32" }]
---*/
// Four accumulators of exponentials.
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    uint32_t T;
    uint32_t V;
} scalars;

void cross_entropy_four_sums(const float *x, const uint32_t *target, float *loss, scalars s)
{
    for (size_t t = 0; t < s.T; t++) {
        const float *z = x + t * s.V;
        float top = z[0];
        for (size_t v = 0; v < s.V; v++)
            top = z[v] > top ? z[v] : top;
        float e[4] = {0, 0, 0, 0};
        for (size_t v = 0; v < s.V; v++)
            e[v & 3] += expf(z[v] - top);
        float lse = top + logf((e[0] + e[1]) + (e[2] + e[3]));
        loss[t] = lse - z[target[t]];
    }
}
