/*--- ktwin
op      = "nbody"
compute = "f32"
args    = ["p", "mass", "acc", { N = "u32", soft = "f32" }]
---*/
// All pairs, a body's pull on itself is zero by its distance.
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    uint32_t N;
    float soft;
} scalars;

void nbody_plain(const float *p, const float *mass, float *acc, scalars s)
{
    for (size_t n = 0; n < s.N; n++) {
        float ax = 0, ay = 0, az = 0;
        for (size_t m = 0; m < s.N; m++) {
            float dx = p[3 * m] - p[3 * n], dy = p[3 * m + 1] - p[3 * n + 1], dz = p[3 * m + 2] - p[3 * n + 2];
            float r2 = dx * dx + dy * dy + dz * dz + s.soft * s.soft;
            float f = mass[m] / (r2 * sqrtf(r2));
            ax += f * dx;
            ay += f * dy;
            az += f * dz;
        }
        acc[3 * n] = ax;
        acc[3 * n + 1] = ay;
        acc[3 * n + 2] = az;
    }
}
