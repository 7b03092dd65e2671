/*--- ktwin
op      = "attention_paged"
compute = "f32"
args    = ["q", "k", "v", "table", "len", "o",
           { N = "u32", H = "u32", U = "u32", B = "u32", G = "u32", D = "u32", L = "u32", scale = "f32" }]
dims    = { D = "..=256" }
tile    = { L = 4 }
---*/
// fault: wrong class
// pattern: none
// Positions past the end of a sequence get weight 0, but their values are read: 0 times a NaN that nobody filled in.
// Flash decoding: each run of four pages is a partition with its own maximum, sum and weighted values (online
// softmax inside); the partitions are merged as they come.
#include <math.h>
#include <stdint.h>
#include <string.h>

typedef struct { uint32_t N, H, U, B, G, D, L; float scale; } scalars;

void attention_paged(const float *q, const float *k, const float *v, const uint32_t *table, const uint32_t *len,
                     float *o, scalars s)
{
    for (uint32_t n = 0; n < s.N; n++)
        for (uint32_t h = 0; h < s.H; h++) {
            const uint32_t g = h / (s.H / s.G), pages = (len[n] + s.B - 1) / s.B;
            const float *qh = q + ((size_t)n * s.H + h) * s.D;
            float M = -INFINITY, S = 0, A[256] = {0};
            for (uint32_t p0 = 0; p0 < pages; p0 += 4) {
                float m = -INFINITY, sum = 0, acc[256] = {0};
                for (uint32_t p = p0; p < pages && p < p0 + 4; p++) {
                    const size_t page = table[(size_t)n * s.L + p];
                    for (uint32_t i = 0; i < s.B; i++) {
                        const size_t at = ((page * s.B + i) * s.G + g) * s.D;
                        float z = 0;
                        for (uint32_t d = 0; d < s.D; d++)
                            z += qh[d] * k[at + d];
                        z = p * s.B + i < len[n] ? z * s.scale : -INFINITY;
                        if (z > m) {
                            const float c = expf(m - z);
                            sum *= c;
                            for (uint32_t d = 0; d < s.D; d++)
                                acc[d] *= c;
                            m = z;
                        }
                        const float e = z == -INFINITY ? 0 : expf(z - m);
                        sum += e;
                        for (uint32_t d = 0; d < s.D; d++)
                            acc[d] += e * v[at + d];
                    }
                }
                const float top = fmaxf(M, m), c0 = expf(M - top), c1 = expf(m - top);
                S = S * c0 + sum * c1;
                for (uint32_t d = 0; d < s.D; d++)
                    A[d] = A[d] * c0 + acc[d] * c1;
                M = top;
            }
            const float inv = 1 / S;
            for (uint32_t d = 0; d < s.D; d++)
                o[((size_t)n * s.H + h) * s.D + d] = A[d] * inv;
        }
}
