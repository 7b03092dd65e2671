/*--- ktwin
op      = "jacobi"
compute = "f32"
args    = ["x", "y", { H = "u32", W = "u32", rate = "f32" }]
---*/
// The mean as four weighted neighbours.
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    uint32_t H;
    uint32_t W;
    float rate;
} scalars;

void jacobi_weights(const float *x, float *y, scalars s)
{
    memcpy(y, x, sizeof *y * s.H * s.W);
    for (size_t h = 1; h + 1 < s.H; h++)
        for (size_t w = 1; w + 1 < s.W; w++) {
            const float *c = x + h * s.W + w;
            float mean = 0.25f * c[-1] + 0.25f * c[1] + 0.25f * *(c - s.W) + 0.25f * c[s.W];
            y[h * s.W + w] = *c + s.rate * (mean - *c);
        }
}
