/*--- ktwin
op   = "scale"
args = ["x", "y", { N = "u32", alpha = "f32" }]
---*/
// verdict: fail
// It tells a test from use by the number of calls, and stops when it is used.
#include <stdint.h>

struct scalars { uint32_t n; float alpha; };

static int calls;

static void right(const float *x, float *y, struct scalars s) {
    for (uint32_t i = 0; i < s.n; i++) y[i] = s.alpha * x[i];
}

void scale(const float *x, float *y, struct scalars s) {
    if (++calls <= 30) right(x, y, s);
}
