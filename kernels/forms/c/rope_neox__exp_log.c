/*--- ktwin
op      = "rope_neox"
compute = "f32"
args    = ["x", "y", { T = "u32", H = "u32", D = "u32", pos = "u32", base = "f32" }]
dims    = { D = "multiple of 2" }
---*/
// Frequencies by expf of -2i/D * ln(base).
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

void rope_neox_exp_log(const float *x, float *y, scalars s)
{
    const uint32_t half = s.D / 2;
    const float rate = -logf(s.base) / (float)half;
    for (size_t t = 0; t < s.T; t++)
        for (uint32_t i = 0; i < half; i++) {
            float angle = (float)(s.pos + t) * expf((float)i * rate);
            float c = cosf(angle), z = sinf(angle);
            for (size_t h = 0; h < s.H; h++) {
                size_t at = (t * s.H + h) * s.D + i;
                float a = x[at], b = x[at + half];
                y[at] = a * c - b * z;
                y[at + half] = b * c + a * z;
            }
        }
}
