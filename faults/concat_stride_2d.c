/*--- ktwin
op      = "concat"
compute = "f32"
args    = ["a", "b", "c", { R = "u32", D = "u32", E = "u32" }]
---*/
// fault: crash
// pattern: the rows of the output are written R elements apart
// rows of the result lie 2 D apart
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct {
    uint32_t R;
    uint32_t D;
    uint32_t E;
} scalars;

void concat_kernel(const float *a, const float *b, float *c, scalars s)
{
    for (uint32_t r = 0; r < s.R; r++) {
        float *row = c + (size_t)r * 2 * s.D;
        for (uint32_t d = 0; d < s.D; d++)
            row[d] = a[(size_t)r * s.D + d];
        for (uint32_t e = 0; e < s.E; e++)
            row[s.D + e] = b[(size_t)r * s.E + e];
    }
}
