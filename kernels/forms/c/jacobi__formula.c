/*--- ktwin
op      = "jacobi"
compute = "f32"
args    = ["x", "y", { H = "u32", W = "u32", rate = "f32" }]
---*/
// As it is written.
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

void jacobi_formula(const float *x, float *y, scalars s)
{
    for (size_t h = 0; h < s.H; h++)
        for (size_t w = 0; w < s.W; w++) {
            size_t i = h * s.W + w;
            if (h == 0 || w == 0 || h + 1 == s.H || w + 1 == s.W)
                y[i] = x[i];
            else
                y[i] = x[i] + s.rate * (0.25f * (x[i - s.W] + x[i + s.W] + x[i - 1] + x[i + 1]) - x[i]);
        }
}
