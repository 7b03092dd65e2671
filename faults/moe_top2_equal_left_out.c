/*--- ktwin
op      = "moe_top2"
compute = "f32"
args    = ["x", "w", "expert", "gate", { T = "u32", D = "u32", E = "u32" }]
---*/
// fault: wrong values
// pattern: right if w holds no equal elements: ties are broken differently
// the second is looked for among scores other than the best one: an equal one is left out
#include <math.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
    uint32_t T, D, E;
} sizes;

static float score(const float *x, const float *w, uint32_t D)
{
    float z = 0;
    for (uint32_t d = 0; d < D; d++)
        z += x[d] * w[d];
    return z;
}

void moe_top2_kernel(const float *x, const float *w, uint32_t *expert, float *gate, sizes s)
{
    for (uint32_t t = 0; t < s.T; t++) {
        const float *row = x + (size_t)t * s.D;
        float best = -INFINITY, next = -INFINITY;
        uint32_t first = 0, second = s.E;
        for (uint32_t e = 0; e < s.E; e++) {
            float z = score(row, w + (size_t)e * s.D, s.D);
            if (z > best) {
                best = z;
                first = e;
            }
        }
        for (uint32_t e = 0; e < s.E; e++) {
            float z = score(row, w + (size_t)e * s.D, s.D);
            if (z != best && (second == s.E || z > next)) {
                next = z;
                second = e;
            }
        }
        if (second == s.E) {
            second = first == 0;
            next = best;
        }
        float share = expf(next - best);
        expert[2 * t] = first;
        expert[2 * t + 1] = second;
        gate[2 * t] = 1 / (1 + share);
        gate[2 * t + 1] = share / (1 + share);
    }
}
