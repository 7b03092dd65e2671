/*--- ktwin
op      = "sgd"
compute = "f32"
args    = ["p", "g", "v", { N = "u32", lr = "f32", momentum = "f32", decay = "f32" }]
---*/
// The same in three fused operations.
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

void sgd_fma(float *p, const float *g, float *v, scalars s)
{
    for (uint32_t n = 0; n < s.N; n++) {
        const float w = p[n];
        const float vel = fmaf(s.decay, w, fmaf(s.momentum, v[n], g[n]));
        v[n] = vel;
        p[n] = fmaf(-s.lr, vel, w);
    }
}
