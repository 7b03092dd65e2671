/*--- ktwin
op      = "sgd"
compute = "f32"
args    = ["p", "g", "v", { N = "u32", lr = "f32", momentum = "f32", decay = "f32" }]
---*/
// fault: wrong values
// pattern: fails exactly when momentum >=
// momentum is capped, which shows near the upper end of its range alone
#include <math.h>
#include <stdint.h>

typedef struct {
    uint32_t N;
    float lr;
    float momentum;
    float decay;
} scalars;

void sgd_capped(float *p, const float *g, float *v, scalars s)
{
    const float momentum = fminf(s.momentum, 0.95f);
    for (uint32_t n = 0; n < s.N; n++) {
        v[n] = momentum * v[n] + g[n] + s.decay * p[n];
        p[n] -= s.lr * v[n];
    }
}
