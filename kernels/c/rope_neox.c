/*--- ktwin
op      = "rope_neox"
compute = "f32"
args    = ["x", "y", { T = "u32", H = "u32", D = "u32", pos = "i32", base = "f32" }]
dims    = { D = "multiple of 2" }
---*/
// Head by head; elements i and i + D / 2 are one point in the plane.
#include <math.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
    uint32_t T, H, D;
    int32_t pos;
    float base;
} scalars;

static void turn(const float *x, float *y, float position, scalars s)
{
    uint32_t half = s.D / 2;
    for (uint32_t i = 0; i < half; i++) {
        float angle = position * powf(s.base, -2.0f * (float)i / (float)s.D);
        float c = cosf(angle), z = sinf(angle);
        y[i] = x[i] * c - x[i + half] * z;
        y[i + half] = x[i + half] * c + x[i] * z;
    }
}

void rope_neox(const float *x, float *y, scalars s)
{
    for (uint32_t t = 0; t < s.T; t++)
        for (uint32_t h = 0; h < s.H; h++) {
            size_t head = ((size_t)t * s.H + h) * s.D;
            turn(x + head, y + head, (float)(s.pos + (int32_t)t), s);
        }
}
