/*--- ktwin
op      = "nbody"
compute = "f32"
args    = ["p", "mass", "acc", { N = "u32", soft = "f32" }]
---*/
// Each pair once, its force on both with opposite signs.
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    uint32_t N;
    float soft;
} scalars;

void nbody_newton_pairs(const float *p, const float *mass, float *acc, scalars s)
{
    memset(acc, 0, 3 * sizeof *acc * s.N);
    for (size_t n = 0; n < s.N; n++)
        for (size_t m = n + 1; m < s.N; m++) {
            float d[3], r2 = 0;
            for (int i = 0; i < 3; i++) {
                d[i] = p[3 * m + i] - p[3 * n + i];
                r2 += d[i] * d[i];
            }
            r2 += s.soft * s.soft;
            float w = 1.0f / (r2 * sqrtf(r2));
            for (int i = 0; i < 3; i++) {
                acc[3 * n + i] += mass[m] * w * d[i];
                acc[3 * m + i] -= mass[n] * w * d[i];
            }
        }
}
