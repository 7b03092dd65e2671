/*--- ktwin
op      = "groupnorm"
compute = "f32"
args    = ["x", "w", "b", "y", { N = "u32", C = "u32", L = "u32", groups = "u32", eps = "f32" }]
---*/
// Mean and squares of each channel, merged over the channels of a group; scale and shift by channel.
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    uint32_t N;
    uint32_t C;
    uint32_t L;
    uint32_t groups;
    float eps;
} scalars;

void groupnorm_channel_merge(const float *x, const float *w, const float *b, float *y, scalars s)
{
    const size_t per = s.C / s.groups;
    const float L = (float)s.L;
    for (size_t n = 0; n < s.N; n++)
        for (size_t g = 0; g < s.groups; g++) {
            float mean = 0, m2 = 0;
            for (size_t j = 0; j < per; j++) {
                const float *in = x + (n * s.C + g * per + j) * s.L;
                float cm = 0, cs = 0;
                for (size_t l = 0; l < s.L; l++)
                    cm += in[l];
                cm /= L;
                for (size_t l = 0; l < s.L; l++)
                    cs += (in[l] - cm) * (in[l] - cm);
                float delta = cm - mean, done = (float)j;
                mean += delta / (done + 1.0f);
                m2 += cs + delta * delta * (L * done / (done + 1.0f));
            }
            float rstd = 1.0f / sqrtf(m2 / (L * (float)per) + s.eps);
            for (size_t j = 0; j < per; j++) {
                size_t c = g * per + j, at = (n * s.C + c) * s.L;
                float scale = rstd * w[c], shift = b[c] - mean * scale;
                for (size_t l = 0; l < s.L; l++)
                    y[at + l] = x[at + l] * scale + shift;
            }
        }
}
