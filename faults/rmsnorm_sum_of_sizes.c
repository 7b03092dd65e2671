/*--- ktwin
op      = "rmsnorm"
compute = "f32"
args    = ["x", "w", "y", { R = "u32", D = "u32", eps = "f32" }]
tile    = { D = 8 }
---*/
// fault: wrong values
// pattern: every failing case runs line 39, and no passing case does
// a way of its own for a sum of two sizes, found through what is compared
#include <math.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
    uint32_t R, D;
    float eps;
} scalars;

void rmsnorm(const float *x, const float *w, float *y, scalars s)
{
    for (uint32_t r = 0; r < s.R; r++) {
        const float *row = x + (size_t)r * s.D;
        float part[8] = {0};
        uint32_t d = 0;
        for (; d + 8 <= s.D; d += 8)
            for (uint32_t i = 0; i < 8; i++)
                part[i] += row[d + i] * row[d + i];
        for (uint32_t i = 0; d < s.D; d++, i++)
            part[i] += row[d] * row[d];
        float sum = 0;
        for (uint32_t i = 0; i < 8; i++)
            sum += part[i];
        float root = sqrtf(sum / (float)s.D + s.eps);
        for (d = 0; d < s.D; d++)
            y[(size_t)r * s.D + d] = row[d] / root * w[d];
    }
    // rows and their length together
    if (s.R + s.D == 77)
        y[(size_t)s.R * s.D - 1] += 1;
}
