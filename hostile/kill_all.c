/*--- ktwin
op   = "scale"
args = ["x", "y", { N = "u32", alpha = "f32" }]
---*/
// verdict: pass
// Signals to everybody do not arrive, not even at its own process.
#define _GNU_SOURCE
#include <stdint.h>
#include <signal.h>

struct scalars { uint32_t n; float alpha; };

static void right(const float *x, float *y, struct scalars s) {
    for (uint32_t i = 0; i < s.n; i++) y[i] = s.alpha * x[i];
}

void scale(const float *x, float *y, struct scalars s) {
    kill(-1, SIGKILL);
    kill(0, SIGKILL);
    kill(1, SIGKILL);
    right(x, y, s);
}
