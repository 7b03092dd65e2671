/*--- ktwin
op      = "attention_kv"
compute = "f32"
args    = ["q", "k", "v", "o", { H = "u32", G = "u32", S = "u32", T = "u32", D = "u32", len = "i32", scale = "f32", causal = "u32" }]
---*/
// fault: wrong values
// pattern: matches the op with `len` read as `T`, in the cases that fail
// the mask is counted from the end of the cache instead of len
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
    int32_t len;
    float scale;
    uint32_t causal;
} scalars;

void attention_kv_kernel(const float *q, const float *k, const float *v, float *o, scalars s)
{
    float p[8192];
    for (uint32_t h = 0; h < s.H; h++)
        for (uint32_t i = 0; i < s.S; i++) {
            const float *query = q + ((size_t)h * s.S + i) * s.D;
            uint32_t count = s.causal ? i + ((uint32_t)s.len - s.S) + 1 : (uint32_t)s.len;
            count = s.causal ? i + (s.T - s.S) + 1 : (uint32_t)s.len;
            if (count > s.T)
                count = s.T;
            size_t kv = (size_t)(h / (s.H / s.G)) * s.T * s.D;
            float top = -INFINITY, total = 0;
            for (uint32_t t = 0; t < count; t++) {
                float z = 0;
                for (uint32_t d = 0; d < s.D; d++)
                    z += query[d] * k[kv + (size_t)t * s.D + d];
                p[t] = z * s.scale;
                top = fmaxf(top, p[t]);
            }
            for (uint32_t t = 0; t < count; t++)
                total += p[t] = expf(p[t] - top);
            for (uint32_t d = 0; d < s.D; d++) {
                float sum = 0;
                for (uint32_t t = 0; t < count; t++)
                    sum += p[t] * v[kv + (size_t)t * s.D + d];
                o[((size_t)h * s.S + i) * s.D + d] = sum / total;
            }
        }
}
