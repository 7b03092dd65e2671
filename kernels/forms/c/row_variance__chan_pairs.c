/*--- ktwin
op      = "row_variance"
compute = "f32"
args    = ["x", "y", { R = "u32", D = "u32" }]
---*/
// Count, mean and squares merged by recursive halving.
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    uint32_t R;
    uint32_t D;
} scalars;

static void moments(const float *x, uint32_t n, float *mean, float *m2)
{
    if (n == 1) {
        *mean = x[0];
        *m2 = 0;
        return;
    }
    uint32_t na = n / 2, nb = n - na;
    float ma, sa, mb, sb;
    moments(x, na, &ma, &sa);
    moments(x + na, nb, &mb, &sb);
    float delta = mb - ma;
    *mean = ma + delta * ((float)nb / (float)n);
    *m2 = (sa + sb) + delta * delta * ((float)na * (float)nb / (float)n);
}

void row_variance_chan_pairs(const float *x, float *y, scalars s)
{
    for (size_t r = 0; r < s.R; r++) {
        float mean, m2;
        moments(x + r * s.D, s.D, &mean, &m2);
        y[r] = m2 / (float)s.D;
    }
}
