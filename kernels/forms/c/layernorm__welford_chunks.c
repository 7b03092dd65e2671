/*--- ktwin
op      = "layernorm"
compute = "f32"
args    = ["x", "w", "b", "y", { R = "u32", D = "u32", eps = "f32" }]
---*/
// Welford in chunks of 64, merged by Chan's formula.
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

void layernorm_welford_chunks(const float *x, const float *w, const float *b, float *y, scalars s)
{
    for (size_t r = 0; r < s.R; r++) {
        const float *row = x + r * s.D;
        float count = 0, mean = 0, m2 = 0;
        for (size_t begin = 0; begin < s.D; begin += 64) {
            size_t end = begin + 64 < s.D ? begin + 64 : s.D;
            float cn = 0, cmean = 0, cm2 = 0;
            for (size_t d = begin; d < end; d++) {
                cn += 1.0f;
                float delta = row[d] - cmean;
                cmean += delta / cn;
                cm2 += delta * (row[d] - cmean);
            }
            float delta = cmean - mean, total = count + cn;
            mean += delta * (cn / total);
            m2 += cm2 + delta * delta * (count * cn / total);
            count = total;
        }
        float inv = 1.0f / sqrtf(m2 / count + s.eps);
        for (size_t d = 0; d < s.D; d++)
            y[r * s.D + d] = (row[d] - mean) * inv * w[d] + b[d];
    }
}
