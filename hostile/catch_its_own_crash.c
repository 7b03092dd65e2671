/*--- ktwin
op   = "scale"
args = ["x", "y", { N = "u32", alpha = "f32" }]
---*/
// verdict: crash
// It reads past the last element and before the first, and catches what comes of it.
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>

struct scalars { uint32_t n; float alpha; };

static sigjmp_buf back;

static void caught(int signal) {
    (void)signal;
    siglongjmp(back, 1);
}

static void right(const float *x, float *y, struct scalars s) {
    for (uint32_t i = 0; i < s.n; i++) y[i] = s.alpha * x[i];
}

static void touch(const volatile float *place) {
    if (!sigsetjmp(back, 1)) (void)*place;
}

void scale(const float *x, float *y, struct scalars s) {
    signal(SIGSEGV, caught);
    signal(SIGBUS, caught);
    touch(x + s.n);
    touch(x - 1);
    right(x, y, s);
}
