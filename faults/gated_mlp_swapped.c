/*--- ktwin
op      = "gated_mlp"
compute = "f32"
args    = ["x", "gate", "up", "down", "y", "h", { T = "u32", D = "u32", F = "u32" }]
scratch = { h = "f32[F]" }
---*/
// fault: wrong values
// pattern: matches the op with `gate and up` read as `up and gate`
// Gate and up are swapped: silu is taken of the other one.
#include <math.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
    uint32_t T, D, F;
} sizes_t;

static float dot(const float *a, const float *b, uint32_t n)
{
    float sum = 0.0f;
    for (uint32_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

void gated_mlp(const float *x, const float *gate, const float *up, const float *down, float *y, float *h, sizes_t s)
{
    for (uint32_t t = 0; t < s.T; t++) {
        const float *row = x + (size_t)t * s.D;
        for (uint32_t f = 0; f < s.F; f++) {
            float g = dot(row, up + (size_t)f * s.D, s.D);
            h[f] = g / (1.0f + expf(-g)) * dot(row, gate + (size_t)f * s.D, s.D);
        }
        for (uint32_t d = 0; d < s.D; d++)
            y[(size_t)t * s.D + d] = dot(h, down + (size_t)d * s.F, s.F);
    }
}
