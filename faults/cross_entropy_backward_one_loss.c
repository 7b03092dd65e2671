/*--- ktwin
op      = "cross_entropy_backward"
compute = "f32"
args    = ["x", "target", "dloss", "dx", { T = "u32", V = "u32" }]
---*/
// fault: wrong values
// pattern: matches the op with `dloss[t]` read as `dloss[0]`
// every row takes the gradient of row 0
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct {
    uint32_t T;
    uint32_t V;
} scalars;

void cross_entropy_backward_kernel(const float *x, const uint32_t *target, const float *dloss, float *dx, scalars s)
{
    for (uint32_t t = 0; t < s.T; t++) {
        const float *row = x + (size_t)t * s.V;
        float *out = dx + (size_t)t * s.V, top = row[0], total = 0;
        for (uint32_t v = 1; v < s.V; v++)
            top = fmaxf(top, row[v]);
        for (uint32_t v = 0; v < s.V; v++) {
            out[v] = expf(row[v] - top);
            total += out[v];
        }
        for (uint32_t v = 0; v < s.V; v++)
            out[v] = out[v] / total * dloss[0];
        out[target[t]] -= dloss[0];
    }
}
