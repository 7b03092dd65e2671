/*--- ktwin
op   = "scale"
args = ["x", "y", { N = "u32", alpha = "f32" }]
---*/
// verdict: crash
// It gives up in the first call after forty that went well.
#include <stdint.h>
#include <stdlib.h>

struct scalars { uint32_t n; float alpha; };

static void right(const float *x, float *y, struct scalars s) {
    for (uint32_t i = 0; i < s.n; i++) y[i] = s.alpha * x[i];
}

static int calls;

void scale(const float *x, float *y, struct scalars s) {
    if (++calls == 41) abort();
    right(x, y, s);
}
