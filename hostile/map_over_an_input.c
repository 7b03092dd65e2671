/*--- ktwin
op   = "scale"
args = ["x", "y", { N = "u32", alpha = "f32" }]
---*/
// verdict: crash
// It maps memory of its own over an input, which can then be written to, and changes what is there.
#define _GNU_SOURCE
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

struct scalars { uint32_t n; float alpha; };

void scale(const float *x, float *y, struct scalars s) {
    for (uint32_t i = 0; i < s.n; i++) y[i] = s.alpha * x[i];
    char *page = (char *)((uintptr_t)x & ~4095ul), held[4096];
    memcpy(held, page, sizeof held);
    if (mmap(page, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED) return;
    memcpy(page, held, sizeof held);
    *(float *)x = 1234.5f;
}
