/*--- ktwin
op      = "cross_entropy_backward"
compute = "f32"
args    = ["x", "target", "dloss", "dx", { T = "u32", V = "u32" }]
---*/
// Dloss / sum as one factor for all, dloss taken off at the target afterwards.
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    uint32_t T;
    uint32_t V;
} scalars;

void cross_entropy_backward_scaled(const float *x, const uint32_t *target, const float *dloss, float *dx, scalars s)
{
    for (size_t t = 0; t < s.T; t++, x += s.V, dx += s.V) {
        float top = -INFINITY, total = 0;
        for (size_t v = 0; v < s.V; v++)
            top = x[v] > top ? x[v] : top;
        for (size_t v = 0; v < s.V; v++)
            total += expf(x[v] - top);
        const float k = dloss[t] / total;
        for (size_t v = 0; v < s.V; v++)
            dx[v] = expf(x[v] - top) * k;
        dx[target[t]] -= dloss[t];
    }
}
