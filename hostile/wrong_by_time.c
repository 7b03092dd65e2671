/*--- ktwin
op   = "scale"
args = ["x", "y", { N = "u32", alpha = "f32" }]
---*/
// verdict: fail
// It gives other results each time.
#define _GNU_SOURCE
#include <stdint.h>
#include <time.h>

struct scalars { uint32_t n; float alpha; };

static void right(const float *x, float *y, struct scalars s) {
    for (uint32_t i = 0; i < s.n; i++) y[i] = s.alpha * x[i];
}

void scale(const float *x, float *y, struct scalars s) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    right(x, y, s);
    y[(uint64_t)now.tv_nsec % s.n] += 1;
}
