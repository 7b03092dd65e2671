/*--- ktwin
op      = "rope"
compute = "f32"
args    = ["x", "y", { T = "u32", H = "u32", D = "u32", pos = "u32", base = "f32" }]
dims    = { D = "multiple of 2" }
---*/
// The angle times a constant from pair to pair, as llama.cpp did it.
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

void rope_theta_product(const float *x, float *y, scalars s)
{
    const float step = powf(s.base, -2.0f / (float)s.D);
    for (uint32_t t = 0; t < s.T; t++)
        for (uint32_t h = 0; h < s.H; h++) {
            float theta = (float)(s.pos + t);
            for (uint32_t d = 0; d < s.D; d += 2) {
                float c = cosf(theta), z = sinf(theta);
                float a = x[0], b = x[1];
                y[0] = a * c - b * z;
                y[1] = a * z + b * c;
                x += 2;
                y += 2;
                theta *= step;
            }
        }
}
