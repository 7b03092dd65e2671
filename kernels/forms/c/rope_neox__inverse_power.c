/*--- ktwin
op      = "rope_neox"
compute = "f32"
args    = ["x", "y", { T = "u32", H = "u32", D = "u32", pos = "u32", base = "f32" }]
dims    = { D = "multiple of 2" }
---*/
// Position over base to the power 2i / D.
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

void rope_neox_inverse_power(const float *x, float *y, scalars s)
{
    size_t half = s.D / 2;
    for (size_t t = 0; t < s.T; t++)
        for (size_t h = 0; h < s.H; h++) {
            const float *lo = x + (t * s.H + h) * s.D, *hi = lo + half;
            float *ylo = y + (t * s.H + h) * s.D, *yhi = ylo + half;
            for (size_t i = 0; i < half; i++) {
                float angle = (float)(s.pos + t) / powf(s.base, 2.0f * (float)i / (float)s.D);
                ylo[i] = lo[i] * cosf(angle) - hi[i] * sinf(angle);
                yhi[i] = hi[i] * cosf(angle) + lo[i] * sinf(angle);
            }
        }
}
