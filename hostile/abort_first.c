/*--- ktwin
op   = "scale"
args = ["x", "y", { N = "u32", alpha = "f32" }]
---*/
// verdict: crash
// It gives up before it is called.
#include <stdint.h>
#include <stdlib.h>

struct scalars { uint32_t n; float alpha; };

__attribute__((constructor)) static void first(void) { abort(); }

static void right(const float *x, float *y, struct scalars s) {
    for (uint32_t i = 0; i < s.n; i++) y[i] = s.alpha * x[i];
}

void scale(const float *x, float *y, struct scalars s) {
    right(x, y, s);
}
