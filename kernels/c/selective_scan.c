/*--- ktwin
op      = "selective_scan"
compute = "f32"
args    = ["x", "dt", "a", "b", "c", "skip", "y", { T = "u32", D = "u32", N = "u32" }]
dims    = { N = "..=256" }
---*/
// One channel after another, its states in an array of its own.
#include <math.h>
#include <stdint.h>

typedef struct {
    uint32_t T, D, N;
} sizes;

void selective_scan(const float *x, const float *dt, const float *a, const float *b, const float *c,
                    const float *skip, float *y, sizes s)
{
    for (uint32_t d = 0; d < s.D; d++) {
        float h[256] = {0};
        for (uint32_t t = 0; t < s.T; t++) {
            const float step = dt[t * s.D + d], in = step * x[t * s.D + d];
            float sum = 0;
            for (uint32_t n = 0; n < s.N; n++) {
                h[n] = expf(step * a[d * s.N + n]) * h[n] + in * b[t * s.N + n];
                sum += c[t * s.N + n] * h[n];
            }
            y[t * s.D + d] = sum + skip[d] * x[t * s.D + d];
        }
    }
}
