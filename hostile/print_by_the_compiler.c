/*--- ktwin
op   = "scale"
args = ["x", "y", { N = "u32", alpha = "f32" }]
---*/
// verdict: fail
// What a compiler prints of it cannot move the cursor.
#include <stdint.h>

struct scalars { uint32_t n; float alpha; };

#error [2J[32mpass[0m

static void right(const float *x, float *y, struct scalars s) {
    for (uint32_t i = 0; i < s.n; i++) y[i] = s.alpha * x[i];
}

void scale(const float *x, float *y, struct scalars s) {
    right(x, y, s);
}
