/*--- ktwin
op      = "dot"
compute = "f32"
args    = ["a", "b", "c", { N = "u32" }]
---*/
// Blocks of 256 with a tree in each, partial sums added at the end.
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void dot_grid_blocks(const float *a, const float *b, float *c, uint32_t N)
{
    float total = 0;
    for (size_t at = 0; at < N; at += 256) {
        float part[256];
        for (size_t i = 0; i < 256; i++)
            part[i] = at + i < N ? a[at + i] * b[at + i] : 0.0f;
        for (size_t step = 128; step > 0; step /= 2)
            for (size_t i = 0; i < step; i++)
                part[i] += part[i + step];
        total += part[0];
    }
    c[0] = total;
}
