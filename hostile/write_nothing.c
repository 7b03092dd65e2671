/*--- ktwin
op   = "scale"
args = ["x", "y", { N = "u32", alpha = "f32" }]
---*/
// verdict: fail
// It leaves its output as it was.
#include <stdint.h>

struct scalars { uint32_t n; float alpha; };

void scale(const float *x, float *y, struct scalars s) {
    (void)x;
    (void)y;
    (void)s;
}
