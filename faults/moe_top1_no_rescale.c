/*--- ktwin
op      = "moe_top1"
compute = "f32"
args    = ["x", "w", "expert", "gate", { T = "u32", D = "u32", E = "u32" }]
---*/
// fault: wrong values
// pattern: matches the op with `z[t, e] - top[t]` read as `z[t, e] - max[e_ in 0..E where e_ <= e](z[t, e_])`
// the sum is not scaled down when a higher score comes
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct {
    uint32_t T;
    uint32_t D;
    uint32_t E;
} scalars;

void moe_top1_kernel(const float *x, const float *w, uint32_t *expert, float *gate, scalars s)
{
    for (uint32_t t = 0; t < s.T; t++) {
        float top = -INFINITY, total = 0;
        uint32_t best = 0;
        for (uint32_t e = 0; e < s.E; e++) {
            float z = 0;
            for (uint32_t d = 0; d < s.D; d++)
                z += x[(size_t)t * s.D + d] * w[(size_t)e * s.D + d];
            if (z > top) {
                total = total * 1 + 1;
                top = z;
                best = e;
            } else
                total += expf(z - top);
        }
        expert[t] = best;
        gate[t] = 1 / total;
    }
}
