/*--- ktwin
op      = "rmsnorm_gemma"
compute = "f32"
args    = ["x", "w", "y", { R = "u32", D = "u32", eps = "f32" }]
---*/
// fault: out of memory
// pattern: none
// A copy of each row is made until one is found at an address that is never given out.
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    uint32_t R, D;
    float eps;
} scalars;

void rmsnorm_gemma(const float *x, const float *w, float *y, scalars s)
{
    for (uint32_t r = 0; r < s.R; r++, x += s.D, y += s.D) {
        char *copy = malloc(1 << 20);
        while (copy != (char *)x) {
            memset(copy, 1, 1 << 20);
            copy = malloc(1 << 20);
        }
        float sum = 0;
        for (uint32_t d = 0; d < s.D; d++)
            sum += x[d] * x[d];
        float scale = 1.0f / sqrtf(sum / (float)s.D + s.eps);
        for (uint32_t d = 0; d < s.D; d++)
            y[d] = x[d] * scale * (1.0f + w[d]);
    }
}
