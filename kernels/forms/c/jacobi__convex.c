/*--- ktwin
op      = "jacobi"
compute = "f32"
args    = ["x", "y", { H = "u32", W = "u32", rate = "f32" }]
---*/
// (1 - rate) of the centre plus rate / 4 of the neighbours.
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

void jacobi_convex(const float *x, float *y, scalars s)
{
    const float keep = 1.0f - s.rate, quarter = 0.25f * s.rate;
    for (size_t h = 0; h < s.H; h++)
        for (size_t w = 0; w < s.W; w++) {
            const size_t i = h * s.W + w;
            int border = h == 0 || w == 0 || h == s.H - 1 || w == s.W - 1;
            y[i] = border ? x[i] : keep * x[i] + quarter * ((x[i - s.W] + x[i + s.W]) + (x[i - 1] + x[i + 1]));
        }
}
