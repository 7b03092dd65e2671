/*--- ktwin
op      = "layernorm"
compute = "f32"
args    = ["x", "w", "b", "y", { R = "u32", D = "u32", eps = "f32" }]
---*/
// Welford's single pass for mean and variance.
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

typedef struct {
    float mean, m2;
} moments;

static moments row_moments(const float *x, uint32_t n)
{
    moments m = {0.0f, 0.0f};
    for (uint32_t i = 0; i < n; i++) {
        float delta = x[i] - m.mean;
        m.mean += delta / (float)(i + 1);
        m.m2 += delta * (x[i] - m.mean);
    }
    return m;
}

void layernorm_welford(const float *x, const float *w, const float *b, float *y, scalars s)
{
    for (uint32_t r = 0; r < s.R; r++, x += s.D, y += s.D) {
        moments m = row_moments(x, s.D);
        float rstd = 1.0f / sqrtf(m.m2 / (float)s.D + s.eps);
        for (uint32_t d = 0; d < s.D; d++)
            y[d] = (x[d] - m.mean) * rstd * w[d] + b[d];
    }
}
