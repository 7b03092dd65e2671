/*--- ktwin
op      = "../kernels/c/transformer_block.op"
compute = "f32"
entry   = "transformer_block"
args    = ["x", "w1", "wq", "wk", "wv", "wo", "w2", "gate", "up", "down", "y", "n", "q", "k", "v", "o", "h",
           { T = "u32", E = "u32", H = "u32", G = "u32", D = "u32", F = "u32", pos = "u32", eps = "f32", base = "f32" }]
scratch = { n = "f32[E]", q = "f32[H * D]", k = "f32[T * G * D]", v = "f32[T * G * D]", o = "f32[H * D]", h = "f32[F]" }
---*/
// fault: wrong values
// pattern: every wrong element equals the one in the next row
// The key of each position is turned as far as that of the first: positions are lost.
#include <math.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
    uint32_t T, E, H, G, D, F, pos;
    float eps, base;
} sizes_t;

static float dot(const float *a, const float *b, uint32_t n)
{
    float sum = 0.0f;
    for (uint32_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

static void rows(const float *w, const float *x, float *y, uint32_t count, uint32_t n)
{
    for (uint32_t i = 0; i < count; i++)
        y[i] = dot(w + (size_t)i * n, x, n);
}

static void norm(const float *x, const float *w, float *y, uint32_t n, float eps)
{
    float root = sqrtf(dot(x, x, n) / (float)n + eps);
    for (uint32_t i = 0; i < n; i++)
        y[i] = x[i] / root * w[i];
}

static void turn(float *x, uint32_t heads, uint32_t D, uint32_t at, float base)
{
    for (uint32_t i = 0; i < D / 2; i++) {
        float angle = (float)at * powf(base, -2.0f * (float)i / (float)D);
        float c = cosf(angle), s = sinf(angle);
        for (uint32_t h = 0; h < heads; h++) {
            float *a = x + h * D + i, *b = a + D / 2;
            float left = *a, right = *b;
            *a = left * c - right * s;
            *b = right * c + left * s;
        }
    }
}

static void attend(const float *q, const float *k, const float *v, float *o, uint32_t count, uint32_t step, uint32_t D)
{
    float top = -INFINITY, total = 0.0f, scale = 1.0f / sqrtf((float)D);
    for (uint32_t d = 0; d < D; d++)
        o[d] = 0.0f;
    for (uint32_t t = 0; t < count; t++) {
        float z = scale * dot(q, k + (size_t)t * step, D);
        float next = fmaxf(top, z), shrink = expf(top - next), p = expf(z - next);
        total = total * shrink + p;
        for (uint32_t d = 0; d < D; d++)
            o[d] = o[d] * shrink + p * v[(size_t)t * step + d];
        top = next;
    }
    for (uint32_t d = 0; d < D; d++)
        o[d] /= total;
}

void transformer_block(const float *x, const float *w1, const float *wq, const float *wk, const float *wv,
                       const float *wo, const float *w2, const float *gate, const float *up, const float *down,
                       float *y, float *n, float *q, float *k, float *v, float *o, float *h, sizes_t s)
{
    uint32_t step = s.G * s.D;
    for (uint32_t t = 0; t < s.T; t++) {
        const float *in = x + (size_t)t * s.E;
        float *out = y + (size_t)t * s.E;
        norm(in, w1, n, s.E, s.eps);
        rows(wq, n, q, s.H * s.D, s.E);
        rows(wk, n, k + (size_t)t * step, step, s.E);
        rows(wv, n, v + (size_t)t * step, step, s.E);
        turn(q, s.H, s.D, s.pos + t, s.base);
        turn(k + (size_t)t * step, s.G, s.D, s.pos, s.base);
        for (uint32_t head = 0; head < s.H; head++) {
            uint32_t group = head / (s.H / s.G) * s.D;
            attend(q + head * s.D, k + group, v + group, o + head * s.D, t + 1, step, s.D);
        }
        for (uint32_t e = 0; e < s.E; e++)
            out[e] = in[e] + dot(wo + (size_t)e * s.H * s.D, o, s.H * s.D);
        norm(out, w2, n, s.E, s.eps);
        for (uint32_t f = 0; f < s.F; f++) {
            float g = dot(gate + (size_t)f * s.E, n, s.E);
            h[f] = g / (1.0f + expf(-g)) * dot(up + (size_t)f * s.E, n, s.E);
        }
        for (uint32_t e = 0; e < s.E; e++)
            out[e] += dot(down + (size_t)e * s.F, h, s.F);
    }
}
