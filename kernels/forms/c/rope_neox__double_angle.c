/*--- ktwin
op      = "rope_neox"
compute = "f32"
args    = ["x", "y", { T = "u32", H = "u32", D = "u32", pos = "u32", base = "f32" }]
dims    = { D = "multiple of 2" }
---*/
// Angles in double, fused rotation in float.
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

void rope_neox_double_angle(const float *x, float *y, scalars s)
{
    size_t half = s.D / 2;
    for (size_t t = 0; t < s.T; t++)
        for (size_t i = 0; i < half; i++) {
            double angle = (double)(s.pos + t) * pow(s.base, -2.0 * (double)i / s.D);
            float c = (float)cos(angle), z = (float)sin(angle);
            for (size_t h = 0; h < s.H; h++) {
                size_t at = (t * s.H + h) * s.D + i;
                y[at] = fmaf(x[at], c, -(x[at + half] * z));
                y[at + half] = fmaf(x[at], z, x[at + half] * c);
            }
        }
}
