/*--- ktwin
op   = "scale"
args = ["x", "y", { N = "u32", alpha = "f32" }]
---*/
// verdict: crash
// It calls itself for ever.
#include <stdint.h>

struct scalars { uint32_t n; float alpha; };

static volatile int one = 1;
static int deeper(int n) {
    volatile char room[4096];
    room[n & 4095] = 1;
    return one ? deeper(n + 1) + room[0] : 0;
}

static void right(const float *x, float *y, struct scalars s) {
    for (uint32_t i = 0; i < s.n; i++) y[i] = s.alpha * x[i];
}

void scale(const float *x, float *y, struct scalars s) {
    y[0] = (float)deeper((int)s.n);
    right(x, y, s);
}
