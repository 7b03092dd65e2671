/*--- ktwin
op      = "rope"
compute = "f32"
args    = ["x", "y", { T = "u32", H = "u32", D = "u32", pos = "i32", base = "f32" }]
dims    = { D = "multiple of 2" }
---*/
// The turn of a pair is the same in every head of a token, so it is computed once for all heads.
#include <math.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
    uint32_t T, H, D;
    int32_t pos;
    float base;
} scalars;

void rope(const float *x, float *y, scalars s)
{
    for (uint32_t t = 0; t < s.T; t++)
        for (uint32_t d = 0; d < s.D; d += 2) {
            float angle = (float)(s.pos + (int32_t)t) * powf(s.base, -(float)d / (float)s.D);
            float c = cosf(angle), z = sinf(angle);
            for (uint32_t h = 0; h < s.H; h++) {
                size_t i = ((size_t)t * s.H + h) * s.D + d;
                y[i] = x[i] * c - x[i + 1] * z;
                y[i + 1] = x[i + 1] * c + x[i] * z;
            }
        }
}
