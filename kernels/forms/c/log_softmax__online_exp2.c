/*--- ktwin
op      = "log_softmax"
compute = "f32"
args    = ["x", "y", { R = "u32", D = "u32" }]
---*/
// Online in powers of two; the logarithm is base two, times ln 2.
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    uint32_t R;
    uint32_t D;
} scalars;

void log_softmax_online_exp2(const float *x, float *y, scalars s)
{
    const float log2e = 1.4426950408889634f, ln2 = 0.6931471805599453f;
    for (size_t r = 0; r < s.R; r++, x += s.D, y += s.D) {
        float m = -INFINITY, l = 0;
        for (size_t d = 0; d < s.D; d++) {
            float up = x[d] > m ? x[d] : m;
            l = l * exp2f((m - up) * log2e) + exp2f((x[d] - up) * log2e);
            m = up;
        }
        float log_sum = log2f(l) * ln2;
        for (size_t d = 0; d < s.D; d++)
            y[d] = (x[d] - m) - log_sum;
    }
}
