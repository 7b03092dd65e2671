/*--- ktwin
op   = "scale"
args = ["x", "y", { N = "u32", alpha = "f32" }]
---*/
// fault: wrong values
// pattern: every wrong element is zero
// A factor below 1e-5 is taken for nothing.
#include <math.h>
#include <stdint.h>

typedef struct {
    uint32_t N;
    float alpha;
} scalars;

void scale(const float *x, float *y, scalars s)
{
    if (fabsf(s.alpha) < 1e-5f)
        s.alpha = 0.0f;
    for (uint32_t n = 0; n < s.N; n++)
        y[n] = s.alpha * x[n];
}
