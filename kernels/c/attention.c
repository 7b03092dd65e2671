/*--- ktwin
op      = "attention"
compute = "f32"
args    = ["q", "k", "v", "o",
           { H = "u32", S = "u32", D = "u32", G = "u32", T = "u32", scale = "f32", causal = "u32" }]
---*/
// One pass over the keys for each query: a running maximum, and what was summed so far scaled down when a key
// raises it. The output row is the accumulator, so no memory is needed beside it.
#include <math.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
    uint32_t H, S, D, G, T;
    float scale;
    uint32_t causal;
} scalars;

static void one_query(const float *q, const float *k, const float *v, float *o, uint32_t count, scalars s)
{
    float top = -INFINITY, total = 0;
    for (uint32_t d = 0; d < s.D; d++)
        o[d] = 0;
    for (uint32_t t = 0; t < count; t++) {
        float z = 0;
        for (uint32_t d = 0; d < s.D; d++)
            z += q[d] * k[(size_t)t * s.D + d];
        z *= s.scale;
        if (z > top) {
            float shrink = expf(top - z);
            total *= shrink;
            for (uint32_t d = 0; d < s.D; d++)
                o[d] *= shrink;
            top = z;
        }
        float p = expf(z - top);
        total += p;
        for (uint32_t d = 0; d < s.D; d++)
            o[d] += p * v[(size_t)t * s.D + d];
    }
    for (uint32_t d = 0; d < s.D; d++)
        o[d] /= total;
}

void attention(const float *q, const float *k, const float *v, float *o, scalars s)
{
    for (uint32_t h = 0; h < s.H; h++) {
        size_t keys = (size_t)(h / (s.H / s.G)) * s.T * s.D;
        for (uint32_t i = 0; i < s.S; i++) {
            size_t query = ((size_t)h * s.S + i) * s.D;
            uint32_t count = s.causal ? i + (s.T - s.S) + 1 : s.T;
            one_query(q + query, k + keys, v + keys, o + query, count, s);
        }
    }
}
