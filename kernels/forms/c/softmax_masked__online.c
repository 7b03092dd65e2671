/*--- ktwin
op      = "softmax_masked"
compute = "f32"
args    = ["x", "mask", "y", { R = "u32", D = "u32" }]
---*/
// One online pass, then exp times the reciprocal; zeros where masked.
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    uint32_t R;
    uint32_t D;
} scalars;

void softmax_masked_online(const float *x, const uint32_t *mask, float *y, scalars s)
{
    for (size_t r = 0; r < s.R; r++, x += s.D, y += s.D, mask += s.D) {
        float m = -INFINITY, l = 0;
        for (size_t d = 0; d < s.D; d++) {
            if (!mask[d])
                continue;
            if (x[d] > m) {
                l = l * expf(m - x[d]) + 1.0f;
                m = x[d];
            } else
                l += expf(x[d] - m);
        }
        float inv = l > 0 ? 1.0f / l : 0.0f;
        for (size_t d = 0; d < s.D; d++)
            y[d] = mask[d] ? expf(x[d] - m) * inv : 0.0f;
    }
}
