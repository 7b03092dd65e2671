/*--- ktwin
op      = "attention_kv"
compute = "f32"
args    = ["q", "k", "v", "o",
           { H = "u32", S = "u32", D = "u32", G = "u32", T = "u32", len = "u32", scale = "f32", causal = "u32" }]
---*/
// Online softmax, keys one by one, fused multiply-add.
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    uint32_t H;
    uint32_t S;
    uint32_t D;
    uint32_t G;
    uint32_t T;
    uint32_t len;
    float scale;
    uint32_t causal;
} scalars;

void attention_kv_flash(const float *q, const float *k, const float *v, float *o, scalars s)
{
    for (size_t h = 0; h < s.H; h++)
        for (size_t i = 0; i < s.S; i++) {
            const float *qi = q + (h * s.S + i) * s.D;
            float *acc = o + (h * s.S + i) * s.D;
            const float *kt = k + h / (s.H / s.G) * s.T * s.D, *vt = v + h / (s.H / s.G) * s.T * s.D;
            size_t n = s.causal ? i + (s.len - s.S) + 1 : s.len;
            float m = -INFINITY, l = 0;
            for (size_t d = 0; d < s.D; d++)
                acc[d] = 0;
            for (size_t t = 0; t < n; t++, kt += s.D, vt += s.D) {
                float z = 0;
                for (size_t d = 0; d < s.D; d++)
                    z = fmaf(qi[d], kt[d], z);
                z *= s.scale;
                float up = z > m ? z : m;
                float old = expf(m - up), p = expf(z - up);
                l = fmaf(l, old, p);
                for (size_t d = 0; d < s.D; d++)
                    acc[d] = fmaf(acc[d], old, p * vt[d]);
                m = up;
            }
            for (size_t d = 0; d < s.D; d++)
                acc[d] /= l;
        }
}
