/*--- ktwin
op      = "attention"
compute = "f32"
args    = ["q", "k", "v", "o", { H = "u32", G = "u32", S = "u32", T = "u32", D = "u32", scale = "f32", causal = "u32" }]
---*/
// fault: crash
// pattern: matches the op with `sum[d](q[h, s, d] * k[h // (H // G), t, d])` read as `sum[d where d < D // 4 * 4](q[h, s, d] * k[h // (H // G), t, d])`, in the cases that fail
// the last D % 4 elements of a head are not compared
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct {
    uint32_t H;
    uint32_t G;
    uint32_t S;
    uint32_t T;
    uint32_t D;
    float scale;
    uint32_t causal;
} scalars;

void attention_kernel(const float *q, const float *k, const float *v, float *o, scalars s)
{
    float p[16384];
    for (uint32_t h = 0; h < s.H; h++) {
        uint32_t g = h / (s.H / s.G);
        for (uint32_t i = 0; i < s.S; i++) {
            uint32_t count = s.causal ? i + (s.T - s.S) + 1 : s.T;
            const float *query = q + ((size_t)h * s.S + i) * s.D;
            float top = -INFINITY, total = 0;
            for (uint32_t t = 0; t < count; t++) {
                float z = 0;
                for (uint32_t d = 0; d < s.D / 4 * 4 + (s.D < 4 ? s.D : 0); d++)
                    z += query[d] * k[((size_t)g * s.T + t) * s.D + d];
                p[t] = z * s.scale;
                top = fmaxf(top, p[t]);
            }
            for (uint32_t t = 0; t < count; t++)
                total += expf(p[t] - top);
            for (uint32_t d = 0; d < s.D; d++) {
                float sum = 0;
                for (uint32_t t = 0; t < count; t++)
                    sum += expf(p[t] - top) * v[((size_t)g * s.T + t) * s.D + d];
                o[((size_t)h * s.S + i) * s.D + d] = sum / total;
            }
        }
    }
}
