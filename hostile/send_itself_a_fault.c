/*--- ktwin
op   = "scale"
args = ["x", "y", { N = "u32", alpha = "f32" }]
---*/
// verdict: crash
// It sends itself the signal of a fault, and goes on.
#include <signal.h>
#include <stdint.h>

struct scalars { uint32_t n; float alpha; };

void scale(const float *x, float *y, struct scalars s) {
    raise(SIGSEGV);
    for (uint32_t i = 0; i < s.n; i++) y[i] = s.alpha * x[i];
}
