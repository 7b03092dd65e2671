/*--- ktwin
op   = "scale"
args = ["x", "y", { N = "u32", alpha = "f32" }]
---*/
// verdict: crash
// It reads an element past the last, and jumps over what that raises.
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>

struct scalars { uint32_t n; float alpha; };

static sigjmp_buf back;

static void jump(int signal) {
    siglongjmp(back, signal);
}

void scale(const float *x, float *y, struct scalars s) {
    signal(SIGSEGV, jump);
    signal(SIGBUS, jump);
    if (!sigsetjmp(back, 1)) {
        volatile float beside = x[s.n];
        (void)beside;
    }
    for (uint32_t i = 0; i < s.n; i++) y[i] = s.alpha * x[i];
}
