/*--- ktwin
op      = "moe_top2"
compute = "f32"
args    = ["x", "w", "expert", "gate", { T = "u32", D = "u32", E = "u32" }]
---*/
// The gates as sigmoids of the difference in both directions.
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    uint32_t T;
    uint32_t D;
    uint32_t E;
} scalars;

void moe_top2_sigmoid(const float *x, const float *w, uint32_t *expert, float *gate, scalars s)
{
    float *z = malloc(sizeof *z * s.E);
    for (size_t t = 0; t < s.T; t++) {
        for (uint32_t e = 0; e < s.E; e++) {
            float even = 0, odd = 0;
            size_t d = 0;
            for (; d + 2 <= s.D; d += 2) {
                even += x[t * s.D + d] * w[(size_t)e * s.D + d];
                odd += x[t * s.D + d + 1] * w[(size_t)e * s.D + d + 1];
            }
            if (d < s.D)
                even += x[t * s.D + d] * w[(size_t)e * s.D + d];
            z[e] = even + odd;
        }
        uint32_t first = 0;
        for (uint32_t e = 1; e < s.E; e++)
            if (z[e] > z[first])
                first = e;
        uint32_t second = first == 0 ? 1 : 0;
        for (uint32_t e = second + 1; e < s.E; e++)
            if (e != first && z[e] > z[second])
                second = e;
        expert[2 * t] = first;
        expert[2 * t + 1] = second;
        gate[2 * t] = 1.0f / (1.0f + expf(z[second] - z[first]));
        gate[2 * t + 1] = 1.0f / (1.0f + expf(z[first] - z[second]));
    }
    free(z);
}
