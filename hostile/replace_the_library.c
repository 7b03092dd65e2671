/*--- ktwin
op    = "scale"
entry = "scale"
args  = ["x", "y", { N = "u32", alpha = "f32" }]
---*/
// verdict: pass
// Functions of these names are its own and nobody else's.
#include <stdint.h>
#include <stddef.h>

struct scalars { uint32_t n; float alpha; };

long write(int f, const void *p, size_t n) { (void)f; (void)p; return (long)n; }
int memcmp(const void *a, const void *b, size_t n) { (void)a; (void)b; (void)n; return 0; }

static void right(const float *x, float *y, struct scalars s) {
    for (uint32_t i = 0; i < s.n; i++) y[i] = s.alpha * x[i];
}

void scale(const float *x, float *y, struct scalars s) {
    right(x, y, s);
}
