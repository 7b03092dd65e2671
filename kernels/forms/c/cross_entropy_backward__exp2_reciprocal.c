/*--- ktwin
op      = "cross_entropy_backward"
compute = "f32"
args    = ["x", "target", "dloss", "dx", { T = "u32", V = "u32" }]
---*/
// Powers of two, probabilities by a reciprocal.
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    uint32_t T;
    uint32_t V;
} scalars;

void cross_entropy_backward_exp2_reciprocal(const float *x, const uint32_t *target, const float *dloss, float *dx, scalars s)
{
    for (size_t t = 0; t < s.T; t++, x += s.V, dx += s.V) {
        float top = x[0], sum[2] = {0, 0};
        for (size_t v = 1; v < s.V; v++)
            top = x[v] > top ? x[v] : top;
        for (size_t v = 0; v < s.V; v++) {
            dx[v] = exp2f((x[v] - top) * 1.44269504088896341f);
            sum[v & 1] += dx[v];
        }
        const float inv = 1.0f / (sum[0] + sum[1]), g = dloss[t];
        for (size_t v = 0; v < s.V; v++)
            dx[v] = g * (dx[v] * inv - (v == target[t]));
    }
}
