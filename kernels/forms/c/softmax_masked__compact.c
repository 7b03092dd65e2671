/*--- ktwin
op      = "softmax_masked"
compute = "f32"
args    = ["x", "mask", "y", { R = "u32", D = "u32" }]
---*/
// The unmasked scores gathered to the front, then an ordinary softmax scattered back.
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    uint32_t R;
    uint32_t D;
} scalars;

void softmax_masked_compact(const float *x, const uint32_t *mask, float *y, scalars s)
{
    float *kept = malloc(sizeof *kept * (s.D ? s.D : 1));
    for (size_t r = 0; r < s.R; r++, x += s.D, y += s.D, mask += s.D) {
        size_t n = 0;
        float top = -INFINITY, sum = 0;
        for (size_t d = 0; d < s.D; d++)
            if (mask[d])
                kept[n++] = x[d];
        for (size_t i = 0; i < n; i++)
            top = fmaxf(top, kept[i]);
        for (size_t i = 0; i < n; i++) {
            kept[i] = exp2f((kept[i] - top) * 1.4426950408889634f);
            sum += kept[i];
        }
        size_t i = 0;
        for (size_t d = 0; d < s.D; d++)
            y[d] = mask[d] ? kept[i++] / sum : 0.0f;
    }
    free(kept);
}
