/*--- ktwin
op      = "rope"
compute = "f32"
args    = ["x", "y", { T = "u32", H = "u32", D = "u32", pos = "u32", base = "f32" }]
dims    = { D = "multiple of 2" }
---*/
// Frequencies by exp2f of -2i/D * log2(base).
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    uint32_t T;
    uint32_t H;
    uint32_t D;
    uint32_t pos;
    float base;
} scalars;

void rope_exp2_log2(const float *x, float *y, scalars s)
{
    const float bits = log2f(s.base);
    for (size_t t = 0; t < s.T; t++)
        for (size_t i = 0; i < s.D / 2; i++) {
            float freq = exp2f(-2.0f * (float)i / (float)s.D * bits);
            float angle = (float)(s.pos + t) * freq, c = cosf(angle), z = sinf(angle);
            for (size_t h = 0; h < s.H; h++) {
                const float *in = x + (t * s.H + h) * s.D + 2 * i;
                float *out = y + (t * s.H + h) * s.D + 2 * i;
                out[0] = in[0] * c - in[1] * z;
                out[1] = in[0] * z + in[1] * c;
            }
        }
}
