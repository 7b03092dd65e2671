/*--- ktwin
op      = "cross_entropy_backward"
compute = "f32"
args    = ["x", "target", "dloss", "dx", { T = "u32", V = "u32" }]
---*/
// Probabilities, one subtracted at the target, times dloss.
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    uint32_t T;
    uint32_t V;
} scalars;

void cross_entropy_backward_plain(const float *x, const uint32_t *target, const float *dloss, float *dx, scalars s)
{
    for (size_t t = 0; t < s.T; t++) {
        const float *row = x + t * s.V;
        float *out = dx + t * s.V;
        float top = row[0], total = 0;
        for (size_t v = 1; v < s.V; v++)
            top = fmaxf(top, row[v]);
        for (size_t v = 0; v < s.V; v++)
            total += out[v] = expf(row[v] - top);
        for (size_t v = 0; v < s.V; v++)
            out[v] = (out[v] / total - (v == target[t] ? 1.0f : 0.0f)) * dloss[t];
    }
}
