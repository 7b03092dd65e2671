/*--- ktwin
op   = "scale"
args = ["x", "y", { N = "u32", alpha = "f32" }]
---*/
// verdict: crash
// It ends as if nothing were wrong, before whatever else would end with it.
#define _GNU_SOURCE
#include <stdint.h>
#include <unistd.h>

struct scalars { uint32_t n; float alpha; };

__attribute__((destructor)) static void last(void) { _exit(0); }

static void right(const float *x, float *y, struct scalars s) {
    for (uint32_t i = 0; i < s.n; i++) y[i] = s.alpha * x[i];
}

void scale(const float *x, float *y, struct scalars s) {
    right(x, y, s);
}
