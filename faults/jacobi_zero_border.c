/*--- ktwin
op      = "jacobi"
compute = "f32"
args    = ["x", "y", { H = "u32", W = "u32", rate = "f32" }]
---*/
// fault: wrong values
// pattern: every wrong element is zero
// the border becomes 0
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct {
    uint32_t H;
    uint32_t W;
    float rate;
} scalars;

void jacobi_kernel(const float *x, float *y, scalars s)
{
    for (uint32_t h = 0; h < s.H; h++)
        for (uint32_t w = 0; w < s.W; w++) {
            size_t i = (size_t)h * s.W + w;
            if (h == 0 || h == s.H - 1 || w == 0 || w == s.W - 1) {
                y[i] = 0;
                continue;
            }
            float near = 0.25f * (x[i - s.W] + x[i + s.W] + x[i - 1] + x[i + 1]);
            y[i] = x[i] + s.rate * (near - x[i]);
        }
}
