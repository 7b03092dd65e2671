/*--- ktwin
op   = "scale"
args = ["x", "y", { N = "u32", alpha = "f32" }]
---*/
// verdict: pass
// Signals to whoever started it do not arrive.
#define _GNU_SOURCE
#include <stdint.h>
#include <signal.h>
#include <unistd.h>

struct scalars { uint32_t n; float alpha; };

static void right(const float *x, float *y, struct scalars s) {
    for (uint32_t i = 0; i < s.n; i++) y[i] = s.alpha * x[i];
}

void scale(const float *x, float *y, struct scalars s) {
    kill(getppid(), SIGSTOP);
    kill(getppid(), SIGKILL);
    right(x, y, s);
}
