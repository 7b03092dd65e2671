/*--- ktwin
op   = "scale"
args = ["x", "y", { N = "u32", alpha = "f32" }]
---*/
// verdict: fail
// It leaves the processor without its smallest numbers.
#include <stdint.h>

struct scalars { uint32_t n; float alpha; };

static void right(const float *x, float *y, struct scalars s) {
    for (uint32_t i = 0; i < s.n; i++) y[i] = s.alpha * x[i];
}

void scale(const float *x, float *y, struct scalars s) {
    /* denormals are zero, results flush to zero */
    __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | 0x8040);
    right(x, y, s);
}
