/*--- ktwin
op      = "layernorm"
compute = "f32"
args    = ["x", "w", "b", "y", { R = "u32", D = "u32", eps = "f32" }]
---*/
// Four partial sums in both passes, the centred row kept in y.
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    uint32_t R;
    uint32_t D;
    float eps;
} scalars;

static float total4(const float *p, size_t n)
{
    float a0 = 0, a1 = 0, a2 = 0, a3 = 0;
    size_t i = 0;
    for (; i + 4 <= n; i += 4) {
        a0 += p[i];
        a1 += p[i + 1];
        a2 += p[i + 2];
        a3 += p[i + 3];
    }
    for (; i < n; i++)
        a0 += p[i];
    return (a0 + a1) + (a2 + a3);
}

static float square4(const float *p, size_t n)
{
    float a[4] = {0};
    size_t i = 0;
    for (; i + 4 <= n; i += 4)
        for (int j = 0; j < 4; j++)
            a[j] += p[i + j] * p[i + j];
    for (; i < n; i++)
        a[0] += p[i] * p[i];
    return (a[0] + a[2]) + (a[1] + a[3]);
}

void layernorm_four_accumulators(const float *x, const float *w, const float *b, float *y, scalars s)
{
    for (size_t r = 0; r < s.R; r++, x += s.D, y += s.D) {
        float mu = total4(x, s.D) / (float)s.D;
        for (size_t d = 0; d < s.D; d++)
            y[d] = x[d] - mu;
        float rstd = 1.0f / sqrtf(square4(y, s.D) / (float)s.D + s.eps);
        for (size_t d = 0; d < s.D; d++)
            y[d] = y[d] * rstd * w[d] + b[d];
    }
}
