/*--- ktwin
op      = "selective_scan"
compute = "f32"
args    = ["x", "dt", "a", "b", "c", "skip", "y", { T = "u32", D = "u32", N = "u32" }]
dims    = { N = "..=256" }
---*/
// fault: wrong values
// pattern: matches the op with `c[t, n] * h[t, d, n]` read as `c[t, n] * h[t - 1, d, n]`
// the state answers before the step goes in
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
                sum += c[t * s.N + n] * h[n];
                h[n] = expf(step * a[d * s.N + n]) * h[n] + in * b[t * s.N + n];
            }
            y[t * s.D + d] = sum + skip[d] * x[t * s.D + d];
        }
    }
}
