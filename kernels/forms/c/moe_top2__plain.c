/*--- ktwin
op      = "moe_top2"
compute = "f32"
args    = ["x", "w", "expert", "gate", { T = "u32", D = "u32", E = "u32" }]
---*/
// Best two scores, gates from the exponential of their difference.
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    uint32_t T;
    uint32_t D;
    uint32_t E;
} scalars;

void moe_top2_plain(const float *x, const float *w, uint32_t *expert, float *gate, scalars s)
{
    for (size_t t = 0; t < s.T; t++) {
        float a = -INFINITY, b = -INFINITY;
        uint32_t ia = 0, ib = 0;
        for (uint32_t e = 0; e < s.E; e++) {
            float z = 0;
            for (size_t d = 0; d < s.D; d++)
                z += x[t * s.D + d] * w[(size_t)e * s.D + d];
            if (z > a) {
                b = a;
                ib = ia;
                a = z;
                ia = e;
            } else if (z > b) {
                b = z;
                ib = e;
            }
        }
        float r = expf(b - a);
        expert[2 * t] = ia;
        expert[2 * t + 1] = ib;
        gate[2 * t] = 1.0f / (1.0f + r);
        gate[2 * t + 1] = r / (1.0f + r);
    }
}
