/*--- ktwin
op   = "scale"
args = ["x", "y", { N = "u32", alpha = "f32" }]
---*/
// verdict: crash
// It reads an element before the first, and makes nothing of it.
#include <stdint.h>

struct scalars { uint32_t n; float alpha; };

static void right(const float *x, float *y, struct scalars s) {
    for (uint32_t i = 0; i < s.n; i++) y[i] = s.alpha * x[i];
}

void scale(const float *x, float *y, struct scalars s) {
    volatile float beside = x[-1];
    (void)beside;
    right(x, y, s);
}
