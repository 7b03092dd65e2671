/*--- ktwin
op      = "rope"
compute = "f32"
args    = ["x", "y", { T = "u32", H = "u32", D = "u32", pos = "u32", base = "f32" }]
dims    = { D = "multiple of 2" }
---*/
// Frequencies by repeated product in a table, in double, angles in float.
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

void rope_shared_step(const float *x, float *y, scalars s)
{
    const double ratio = pow((double)s.base, -2.0 / (double)s.D);
    double f = 1.0;
    for (size_t i = 0; i < s.D / 2; i++, f *= ratio) {
        const float freq = (float)f;
        for (size_t t = 0; t < s.T; t++) {
            float angle = (float)(s.pos + t) * freq;
            float c = cosf(angle), z = sinf(angle);
            for (size_t h = 0; h < s.H; h++) {
                size_t at = (t * s.H + h) * s.D + 2 * i;
                float re = x[at], im = x[at + 1];
                y[at] = re * c - im * z;
                y[at + 1] = im * c + re * z;
            }
        }
    }
}
