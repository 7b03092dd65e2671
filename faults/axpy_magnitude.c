/*--- ktwin
op   = "axpy"
args = ["x", "y", { N = "u32", alpha = "f32" }]
---*/
// fault: wrong values
// pattern: fails exactly when alpha < 0
// The sign of alpha is lost.
#include <math.h>
#include <stdint.h>

typedef struct {
    uint32_t N;
    float alpha;
} sizes_t;

void axpy(const float *x, float *y, sizes_t s)
{
    for (uint32_t n = 0; n < s.N; n++)
        y[n] += fabsf(s.alpha) * x[n];
}
