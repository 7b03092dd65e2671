/*--- ktwin
op      = "rope_neox"
compute = "f32"
args    = ["x", "y", { T = "u32", H = "u32", D = "u32", pos = "u32", base = "f32" }]
dims    = { D = "multiple of 2" }
---*/
// The angle times a constant from pair to pair.
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

void rope_neox_theta_product(const float *x, float *y, scalars s)
{
    const float scale = powf(s.base, -2.0f / (float)s.D);
    const size_t half = s.D / 2;
    for (size_t t = 0; t < s.T; t++)
        for (size_t h = 0; h < s.H; h++) {
            const float *in = x + (t * s.H + h) * s.D;
            float *out = y + (t * s.H + h) * s.D, theta = (float)s.pos + (float)t;
            for (size_t i = 0; i < half; i++, theta *= scale) {
                const float c = cosf(theta), z = sinf(theta);
                out[i] = in[i] * c - in[i + half] * z;
                out[i + half] = in[i] * z + in[i + half] * c;
            }
        }
}
