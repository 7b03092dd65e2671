/*--- ktwin
op   = "scale"
args = ["x", "y", { N = "u32", alpha = "f32" }]
---*/
// verdict: fail
// It is wrong for 28 sizes, in a function whose attributes keep a compiler from marking what runs, and end it in a
// jump to what would have marked it.
#include <stdint.h>

struct scalars { uint32_t n; float alpha; };

__attribute__((noinline, no_instrument_function, optimize("O3"))) static void wrong(float *y, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) y[i] += 1;
}

void scale(const float *x, float *y, struct scalars s) {
    uint32_t odd = 2;
    for (int i = 0; i < 4; i++) odd = odd * 3 + 1;
    for (uint32_t i = 0; i < s.n; i++) y[i] = s.alpha * x[i];
    for (uint32_t once = s.n - odd < 28; once; once = 0) wrong(y, s.n);
}
