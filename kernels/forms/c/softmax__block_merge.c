/*--- ktwin
op      = "softmax"
compute = "f32"
args    = ["x", "y", { R = "u32", D = "u32" }]
---*/
// Blocks of 32 with their own maximum and sum, merged.
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    uint32_t R;
    uint32_t D;
} scalars;

void softmax_block_merge(const float *x, float *y, scalars s)
{
    for (size_t r = 0; r < s.R; r++, x += s.D, y += s.D) {
        float m = -INFINITY, l = 0;
        for (size_t at = 0; at < s.D; at += 32) {
            size_t end = at + 32 < s.D ? at + 32 : s.D;
            float bm = x[at], bl = 0;
            for (size_t d = at; d < end; d++)
                bm = fmaxf(bm, x[d]);
            for (size_t d = at; d < end; d++)
                bl += expf(x[d] - bm);
            float both = fmaxf(m, bm);
            l = l * expf(m - both) + bl * expf(bm - both);
            m = both;
        }
        float inv = 1.0f / l;
        for (size_t d = 0; d < s.D; d++)
            y[d] = expf(x[d] - m) * inv;
    }
}
