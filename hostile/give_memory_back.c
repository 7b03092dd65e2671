/*--- ktwin
op   = "scale"
args = ["x", "y", { N = "u32", alpha = "f32" }]
---*/
// verdict: crash
// It unmaps its output, and maps other memory there.
#define _GNU_SOURCE
#include <stdint.h>
#include <sys/mman.h>

struct scalars { uint32_t n; float alpha; };

static void right(const float *x, float *y, struct scalars s) {
    for (uint32_t i = 0; i < s.n; i++) y[i] = s.alpha * x[i];
}

void scale(const float *x, float *y, struct scalars s) {
    char *page = (char *)((uintptr_t)y & ~4095ul);
    mmap(page, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    right(x, y, s);
}
