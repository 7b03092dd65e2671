/*--- ktwin
op      = "nbody"
compute = "f32"
args    = ["p", "mass", "acc", { N = "u32", soft = "f32" }]
---*/
// The reciprocal root cubed, the softening first, as in GPU Gems.
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    uint32_t N;
    float soft;
} scalars;

void nbody_rsqrt_cubed(const float *p, const float *mass, float *acc, scalars s)
{
    const float eps2 = s.soft * s.soft;
    for (uint32_t n = 0; n < s.N; n++) {
        float a[3] = {0, 0, 0};
        for (uint32_t m = 0; m < s.N; m++) {
            float d[3], r2 = eps2;
            for (int i = 0; i < 3; i++) {
                d[i] = p[3 * (size_t)m + i] - p[3 * (size_t)n + i];
                r2 = fmaf(d[i], d[i], r2);
            }
            float inv = 1.0f / sqrtf(r2);
            float f = mass[m] * (inv * inv * inv);
            for (int i = 0; i < 3; i++)
                a[i] = fmaf(d[i], f, a[i]);
        }
        memcpy(acc + 3 * (size_t)n, a, sizeof a);
    }
}
