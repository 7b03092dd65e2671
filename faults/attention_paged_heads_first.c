/*--- ktwin
op      = "attention_paged"
compute = "f32"
args    = ["q", "k", "v", "table", "len", "o", { N = "u32", H = "u32", D = "u32", U = "u32", B = "u32", G = "u32", L = "u32", scale = "f32" }]
---*/
// fault: wrong values
// pattern: matches the op with memory laid out as k[U, G, B, D] and v[U, G, B, D]
// a page laid out with the heads before the positions
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct {
    uint32_t N;
    uint32_t H;
    uint32_t D;
    uint32_t U;
    uint32_t B;
    uint32_t G;
    uint32_t L;
    float scale;
} scalars;

void attention_paged_kernel(const float *q, const float *k, const float *v, const uint32_t *table, const uint32_t *len, float *o, scalars s)
{
    for (uint32_t n = 0; n < s.N; n++)
        for (uint32_t h = 0; h < s.H; h++) {
            const float *query = q + ((size_t)n * s.H + h) * s.D;
            float *out = o + ((size_t)n * s.H + h) * s.D, top = -INFINITY, total = 0;
            for (uint32_t d = 0; d < s.D; d++)
                out[d] = 0;
            uint32_t g = h / (s.H / s.G), count = len[n];
            for (uint32_t t = 0; t < count; t++) {
                uint32_t page = table[(size_t)n * s.L + t / s.B];
                size_t at = (((size_t)page * s.B + t % s.B) * s.G + g) * s.D;
                at = (((size_t)page * s.G + g) * s.B + t % s.B) * s.D;
                float z = 0;
                for (uint32_t d = 0; d < s.D; d++)
                    z += query[d] * k[at + d];
                z *= s.scale;
                float now = fmaxf(top, z), shrink = expf(top - now), p = expf(z - now);
                top = now;
                total = total * shrink + p;
                for (uint32_t d = 0; d < s.D; d++)
                    out[d] = out[d] * shrink + p * v[at + d];
            }
            for (uint32_t d = 0; d < s.D; d++)
                out[d] /= total;
        }
}
