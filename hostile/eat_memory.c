/*--- ktwin
op   = "scale"
args = ["x", "y", { N = "u32", alpha = "f32" }]
---*/
// verdict: crash
// It takes all the memory that there is.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct scalars { uint32_t n; float alpha; };

static void right(const float *x, float *y, struct scalars s) {
    for (uint32_t i = 0; i < s.n; i++) y[i] = s.alpha * x[i];
}

void scale(const float *x, float *y, struct scalars s) {
    for (;;) {
        char *p = malloc(1 << 20);
        if (!p) abort();
        memset(p, 1, 1 << 20);
    }
}
