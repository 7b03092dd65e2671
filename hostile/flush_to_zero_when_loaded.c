/*--- ktwin
op   = "scale"
args = ["x", "y", { N = "u32", alpha = "f32" }]
---*/
// verdict: fail
// Loading it leaves the processor without its smallest numbers.
#include <stdint.h>
#include <xmmintrin.h>

struct scalars { uint32_t n; float alpha; };

static void right(const float *x, float *y, struct scalars s) {
    for (uint32_t i = 0; i < s.n; i++) y[i] = s.alpha * x[i];
}

__attribute__((constructor)) static void first(void) {
    _mm_setcsr(_mm_getcsr() | 0x8040);
}

void scale(const float *x, float *y, struct scalars s) {
    right(x, y, s);
}
