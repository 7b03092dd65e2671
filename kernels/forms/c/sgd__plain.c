/*--- ktwin
op      = "sgd"
compute = "f32"
args    = ["p", "g", "v", { N = "u32", lr = "f32", momentum = "f32", decay = "f32" }]
---*/
// Decay into the gradient, then the velocity, then the step.
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

void sgd_plain(float *p, const float *g, float *v, scalars s)
{
    for (size_t n = 0; n < s.N; n++) {
        float grad = g[n] + s.decay * p[n];
        v[n] = s.momentum * v[n] + grad;
        p[n] -= s.lr * v[n];
    }
}
