/*--- ktwin
op      = "layernorm"
compute = "f32"
args    = ["x", "w", "b", "y", { R = "u32", D = "u32", eps = "f32" }]
---*/
// Eight Welford streams with one reciprocal count each round, merged in order.
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

void layernorm_eight_lane_welford(const float *x, const float *w, const float *b, float *y, scalars s)
{
    for (size_t r = 0; r < s.R; r++, x += s.D, y += s.D) {
        float mean[8] = {0}, m2[8] = {0};
        uint32_t count[8] = {0};
        for (uint32_t d = 0; d < s.D; d++) {
            uint32_t j = d & 7;
            float inv = 1.0f / (float)++count[j];
            float delta = x[d] - mean[j];
            mean[j] += delta * inv;
            m2[j] = fmaf(delta, x[d] - mean[j], m2[j]);
        }
        float mu = mean[0], sq = m2[0], n = (float)count[0];
        for (int j = 1; j < 8; j++) {
            if (count[j] == 0)
                break;
            float c = (float)count[j], all = n + c, delta = mean[j] - mu;
            mu = (n * mu + c * mean[j]) / all;
            sq += m2[j] + delta * delta * n * c / all;
            n = all;
        }
        float rstd = 1.0f / sqrtf(sq / n + s.eps);
        for (size_t d = 0; d < s.D; d++)
            y[d] = fmaf((x[d] - mu) * rstd, w[d], b[d]);
    }
}
