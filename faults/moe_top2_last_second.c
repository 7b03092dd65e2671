/*--- ktwin
op    = "moe_top2"
types = { expert = "i32" }
args  = ["x", "w", "expert", "gate", { T = "u32", D = "u32", E = "u32" }]
---*/
// fault: wrong values
// pattern: matches the op with `argmax[e where e != first[t]](z[t, e])` read as `the last of equals of argmax[e where e != first[t]](z[t, e])`
// of equal scores the last becomes the second expert
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

void moe_top2(const float *x, const float *w, int32_t *expert, float *gate, sizes s)
{
    const uint32_t T = s.T, D = s.D, E = s.E;
    for (size_t t = 0; t < T; t++) {
        const float *row = x + t * D;
        uint32_t first = 0;
        for (uint32_t e = 1; e < E; e++)
            if (score(row, w + (size_t)e * D, D) > score(row, w + (size_t)first * D, D))
                first = e;
        uint32_t second = first == 0 ? 1 : 0;
        for (uint32_t e = 0; e < E; e++)
            if (e != first && score(row, w + (size_t)e * D, D) >= score(row, w + (size_t)second * D, D))
                second = e;
        const float share =
            expf(score(row, w + (size_t)second * D, D) - score(row, w + (size_t)first * D, D));
        expert[2 * t] = (int32_t)first;
        expert[2 * t + 1] = (int32_t)second;
        gate[2 * t] = 1 / (1 + share);
        gate[2 * t + 1] = share / (1 + share);
    }
}
