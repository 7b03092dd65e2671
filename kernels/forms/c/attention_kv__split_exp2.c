/*--- ktwin
op      = "attention_kv"
compute = "f32"
args    = ["q", "k", "v", "o",
           { H = "u32", S = "u32", D = "u32", G = "u32", T = "u32", len = "u32", scale = "f32", causal = "u32" }]
---*/
// Flash decoding in two halves of the keys, powers of two.
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

typedef struct {
    float m, l;
} half;

static half walk(const float *q, const float *k, const float *v, uint32_t n, uint32_t D, float c, float *acc)
{
    half st = {-INFINITY, 0};
    for (uint32_t d = 0; d < D; d++)
        acc[d] = 0;
    for (uint32_t t = 0; t < n; t++) {
        float z = 0;
        for (uint32_t d = 0; d < D; d++)
            z += q[d] * k[(size_t)t * D + d];
        z *= c;
        float up = fmaxf(st.m, z), f = exp2f(st.m - up), p = exp2f(z - up);
        st.l = st.l * f + p;
        st.m = up;
        for (uint32_t d = 0; d < D; d++)
            acc[d] = acc[d] * f + p * v[(size_t)t * D + d];
    }
    return st;
}

void attention_kv_split_exp2(const float *q, const float *k, const float *v, float *o, scalars s)
{
    const float c = s.scale * 1.4426950408889634f;
    float *other = malloc(sizeof *other * s.D);
    for (size_t h = 0; h < s.H; h++)
        for (size_t i = 0; i < s.S; i++) {
            const float *qi = q + (h * s.S + i) * s.D;
            float *out = o + (h * s.S + i) * s.D;
            size_t base = h / (s.H / s.G) * s.T * s.D;
            uint32_t n = s.causal ? (uint32_t)i + (s.len - s.S) + 1 : s.len, n1 = (n + 1) / 2;
            half a = walk(qi, k + base, v + base, n1, s.D, c, out);
            half b = walk(qi, k + base + (size_t)n1 * s.D, v + base + (size_t)n1 * s.D, n - n1, s.D, c, other);
            float top = fmaxf(a.m, b.m), fa = exp2f(a.m - top), fb = exp2f(b.m - top);
            float inv = 1.0f / (a.l * fa + b.l * fb);
            fa *= inv;
            fb *= inv;
            for (size_t d = 0; d < s.D; d++)
                out[d] = out[d] * fa + other[d] * fb;
        }
    free(other);
}
