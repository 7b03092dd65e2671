/*--- ktwin
op   = "scale"
args = ["x", "y", { N = "u32", alpha = "f32" }]
---*/
// verdict: fail
// The compiler reads the system and the kernel's own folder, and nothing else.
#include <stdint.h>

struct scalars { uint32_t n; float alpha; };

static const char secret[] =
#include "/etc/passwd"
    ;

static void right(const float *x, float *y, struct scalars s) {
    for (uint32_t i = 0; i < s.n; i++) y[i] = s.alpha * x[i];
}

void scale(const float *x, float *y, struct scalars s) {
    right(x, y, s);
}
