/*--- ktwin
op   = "scale"
args = ["x", "y", { N = "u32", alpha = "f32" }]
---*/
// verdict: crash
// It makes an output's memory longer than what lies beneath, and writes past its end: SIGBUS.
#define _GNU_SOURCE
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

struct scalars { uint32_t n; float alpha; };

static void right(const float *x, float *y, struct scalars s) {
    for (uint32_t i = 0; i < s.n; i++) y[i] = s.alpha * x[i];
}

void scale(const float *x, float *y, struct scalars s) {
    right(x, y, s);
    char *page = (char *)((uintptr_t)y & ~(uintptr_t)4095);
    char *longer = mremap(page, 0, 1 << 30, MREMAP_MAYMOVE);
    if (longer == MAP_FAILED) abort();
    longer[1 << 20] = 1;
}
