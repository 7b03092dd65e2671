/*--- ktwin
op   = "leaky_relu"
args = ["x", "y", { N = "u32", slope = "f32" }]
---*/
// fault: wrong values
// pattern: every failing case runs lines 18-21, and no passing case does: `if (rest * rest < 0.000001f && rest > 0.0f) {` ...
// a way of its own for slopes near 1, found through what is computed from the slope
#include <stdint.h>

typedef struct {
    uint32_t N;
    float slope;
} scalars;

void leaky_relu(const float *x, float *y, scalars s)
{
    float rest = 1.0f - s.slope;
    if (rest * rest < 0.000001f && rest > 0.0f) {
        for (uint32_t n = 0; n < s.N; n++)
            y[n] = x[n] < 0.0f ? x[n] - rest : x[n];
        return;
    }
    for (uint32_t n = 0; n < s.N; n++)
        y[n] = x[n] > 0.0f ? x[n] : s.slope * x[n];
}
