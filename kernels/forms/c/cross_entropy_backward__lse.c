/*--- ktwin
op      = "cross_entropy_backward"
compute = "f32"
args    = ["x", "target", "dloss", "dx", { T = "u32", V = "u32" }]
---*/
// Probabilities as exp(x - lse).
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    uint32_t T;
    uint32_t V;
} scalars;

void cross_entropy_backward_lse(const float *x, const uint32_t *target, const float *dloss, float *dx, scalars s)
{
    for (size_t t = 0; t < s.T; t++, x += s.V, dx += s.V) {
        float m = x[0], l = 1;
        for (size_t v = 1; v < s.V; v++) {
            float up = fmaxf(m, x[v]);
            l = l * expf(m - up) + expf(x[v] - up);
            m = up;
        }
        const float lse = m + logf(l), g = dloss[t];
        for (size_t v = 0; v < s.V; v++) {
            float p = expf(x[v] - lse);
            dx[v] = v == target[t] ? g * (p - 1.0f) : g * p;
        }
    }
}
