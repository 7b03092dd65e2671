/*--- ktwin
op   = "scale"
args = ["x", "y", { N = "u32", alpha = "f32" }]
---*/
// verdict: crash
// It writes what is right, maps other memory there, and leaves something else in it for its caller.
#define _GNU_SOURCE
#include <stdint.h>
#include <sys/mman.h>

struct scalars { uint32_t n; float alpha; };

void scale(const float *x, float *y, struct scalars s) {
    for (uint32_t i = 0; i < s.n; i++) y[i] = s.alpha * x[i];
    char *page = (char *)((uintptr_t)y & ~4095ul);
    if (mmap(page, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED) return;
    for (uint32_t i = 0; i < s.n && (char *)(y + i) < page + 4096; i++) y[i] = 5;
}
