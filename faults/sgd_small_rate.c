/*--- ktwin
op   = "sgd"
args = ["p", "g", "v", { N = "u32", lr = "f32", momentum = "f32", decay = "f32" }]
---*/
// fault: wrong values
// pattern: p: every wrong element equals the input p
// A rate below 1e-4 moves nothing.
#include <stdint.h>

typedef struct {
    uint32_t N;
    float lr, momentum, decay;
} scalars;

void sgd(float *p, const float *g, float *v, scalars s)
{
    for (uint32_t n = 0; n < s.N; n++) {
        v[n] = s.momentum * v[n] + g[n] + s.decay * p[n];
        if (s.lr > 1e-4f)
            p[n] -= s.lr * v[n];
    }
}
