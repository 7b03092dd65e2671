/*--- ktwin
op      = "sgd"
compute = "f32"
args    = ["p", "g", "v", { N = "u32", lr = "f32", momentum = "f32", decay = "f32" }]
---*/
// The step written out in its three parts.
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    uint32_t N;
    float lr;
    float momentum;
    float decay;
} scalars;

void sgd_expanded(float *p, const float *g, float *v, scalars s)
{
    for (size_t n = 0; n < s.N; n++) {
        float w = p[n], old = v[n], grad = g[n];
        v[n] = s.momentum * old + (grad + s.decay * w);
        p[n] = w * (1.0f - s.lr * s.decay) - s.lr * grad - s.lr * s.momentum * old;
    }
}
