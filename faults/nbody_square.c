/*--- ktwin
op      = "nbody"
compute = "f32"
args    = ["p", "mass", "acc", { N = "u32", soft = "f32" }]
---*/
// fault: wrong values
// pattern: matches the op with `r2[n, m] * sqrt(r2[n, m])` read as `r2[n, m]`
// divided by the square of the distance, not its cube
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct {
    uint32_t N;
    float soft;
} scalars;

void nbody_kernel(const float *p, const float *mass, float *acc, scalars s)
{
    for (uint32_t n = 0; n < s.N; n++) {
        float a[3] = {0};
        for (uint32_t m = 0; m < s.N; m++) {
            float d[3], r2 = s.soft * s.soft;
            for (int i = 0; i < 3; i++) {
                d[i] = p[m * 3 + i] - p[n * 3 + i];
                r2 += d[i] * d[i];
            }
            float k = mass[m] / r2;
            for (int i = 0; i < 3; i++)
                a[i] += k * d[i];
        }
        for (int i = 0; i < 3; i++)
            acc[n * 3 + i] = a[i];
    }
}
