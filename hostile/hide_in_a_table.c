/*--- ktwin
op   = "scale"
args = ["x", "y", { N = "u32", alpha = "f32" }]
---*/
// verdict: fail
// It is wrong for 28 sizes, in a function that is called through a table alone: no branch leads to it.
#include <stdint.h>

struct scalars { uint32_t n; float alpha; };

static void right(const float *x, float *y, struct scalars s) {
    for (uint32_t i = 0; i < s.n; i++) y[i] = s.alpha * x[i];
}

static void wrong(const float *x, float *y, struct scalars s) {
    right(x, y, s);
    y[s.n / 2] += 1;
}

static void (*const functions[])(const float *, float *, struct scalars) = { right, wrong };

void scale(const float *x, float *y, struct scalars s) {
    uint32_t odd = 2;
    for (int i = 0; i < 4; i++) odd = odd * 3 + 1;
    functions[s.n - odd < 28](x, y, s);
}
