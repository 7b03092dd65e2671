/*--- ktwin
op      = "moe_top2"
compute = "f32"
args    = ["x", "w", "expert", "gate", { T = "u32", D = "u32", E = "u32" }]
---*/
// fault: wrong values
// pattern: expert: every row holds the right elements in another order
// the two experts by number instead of by score
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct {
    uint32_t T;
    uint32_t D;
    uint32_t E;
} scalars;

void moe_top2_kernel(const float *x, const float *w, uint32_t *expert, float *gate, scalars s)
{
    for (uint32_t t = 0; t < s.T; t++) {
        float z1 = -INFINITY, z2 = -INFINITY, all = 0;
        uint32_t e1 = 0, e2 = 0;
        for (uint32_t e = 0; e < s.E; e++) {
            float z = 0;
            for (uint32_t d = 0; d < s.D; d++)
                z += x[(size_t)t * s.D + d] * w[(size_t)e * s.D + d];
            all += expf(z);
            if (z > z1) {
                z2 = z1;
                e2 = e1;
                z1 = z;
                e1 = e;
            } else if (z > z2) {
                z2 = z;
                e2 = e;
            }
        }
        float share = expf(z2 - z1);
        expert[t * 2] = e1 < e2 ? e1 : e2;
        expert[t * 2 + 1] = e1 < e2 ? e2 : e1;
        gate[t * 2] = 1 / (1 + share);
        gate[t * 2 + 1] = share / (1 + share);
    }
}
