/*--- ktwin
op      = "jacobi"
compute = "f32"
args    = ["x", "y", { H = "u32", W = "u32", rate = "f32" }]
---*/
// Differences to the four neighbours added up.
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

void jacobi_laplacian(const float *x, float *y, scalars s)
{
    for (uint32_t h = 0; h < s.H; h++)
        for (uint32_t w = 0; w < s.W; w++) {
            const float *c = x + (size_t)h * s.W + w;
            float flow = 0;
            if (h > 0 && h + 1 < s.H && w > 0 && w + 1 < s.W)
                flow = (c[-(ptrdiff_t)s.W] - *c) + (c[s.W] - *c) + (c[-1] - *c) + (c[1] - *c);
            y[(size_t)h * s.W + w] = *c + 0.25f * s.rate * flow;
        }
}
