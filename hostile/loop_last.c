/*--- ktwin
op   = "scale"
args = ["x", "y", { N = "u32", alpha = "f32" }]
---*/
// verdict: hang
// It does not end when all results are there.
#include <stdint.h>

struct scalars { uint32_t n; float alpha; };

__attribute__((destructor)) static void last(void) {
    for (volatile int i = 0;; i++) {}
}

static void right(const float *x, float *y, struct scalars s) {
    for (uint32_t i = 0; i < s.n; i++) y[i] = s.alpha * x[i];
}

void scale(const float *x, float *y, struct scalars s) {
    right(x, y, s);
}
