/*--- ktwin
op   = "scale"
args = ["x", "y", { N = "u32", alpha = "f32" }]
---*/
// verdict: crash
// It ends its process before it is called, as if all were well.
#define _GNU_SOURCE
#include <stdint.h>
#include <unistd.h>

struct scalars { uint32_t n; float alpha; };

__attribute__((constructor)) static void first(void) { _exit(0); }

static void right(const float *x, float *y, struct scalars s) {
    for (uint32_t i = 0; i < s.n; i++) y[i] = s.alpha * x[i];
}

void scale(const float *x, float *y, struct scalars s) {
    right(x, y, s);
}
