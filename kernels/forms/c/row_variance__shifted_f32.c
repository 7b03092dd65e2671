/*--- ktwin
op      = "row_variance"
compute = "f32"
args    = ["x", "y", { R = "u32", D = "u32" }]
---*/
// One pass over distances from a guess of the mean, that of up to sixteen elements.
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    uint32_t R;
    uint32_t D;
} scalars;

void row_variance_shifted_f32(const float *x, float *y, scalars s)
{
    for (size_t r = 0; r < s.R; r++, x += s.D) {
        uint32_t few = s.D < 16 ? s.D : 16;
        float guess = 0;
        for (uint32_t i = 0; i < few; i++)
            guess += x[(size_t)i * s.D / few];
        guess /= (float)few;
        float s1 = 0, s2 = 0;
        for (uint32_t d = 0; d < s.D; d++) {
            float c = x[d] - guess;
            s1 += c;
            s2 += c * c;
        }
        float mean = s1 / (float)s.D;
        y[r] = fmaxf(s2 / (float)s.D - mean * mean, 0.0f);
    }
}
