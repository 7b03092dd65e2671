/*--- ktwin
op      = "nbody"
compute = "f32"
args    = ["p", "mass", "acc", { N = "u32", soft = "f32" }]
---*/
// Tiles of eight bodies summed by themselves, itself skipped.
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    uint32_t N;
    float soft;
} scalars;

void nbody_tiles(const float *p, const float *mass, float *acc, scalars s)
{
    for (size_t i = 0; i < 3 * (size_t)s.N; i++)
        acc[i] = 0;
    for (size_t from = 0; from < s.N; from += 8)
        for (size_t n = 0; n < s.N; n++) {
            float t[3] = {0};
            for (size_t m = from; m < s.N && m < from + 8; m++) {
                if (m == n)
                    continue;
                float x = p[3 * m] - p[3 * n], y = p[3 * m + 1] - p[3 * n + 1], z = p[3 * m + 2] - p[3 * n + 2];
                float r2 = (x * x + y * y) + (z * z + s.soft * s.soft), r = sqrtf(r2);
                float k = mass[m] / r2 / r;
                t[0] += x * k;
                t[1] += y * k;
                t[2] += z * k;
            }
            for (int i = 0; i < 3; i++)
                acc[3 * n + i] += t[i];
        }
}
