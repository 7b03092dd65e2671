/*--- ktwin
op   = "scale"
args = ["x", "y", { N = "u32", alpha = "f32" }]
---*/
// verdict: fail
// It is wrong for 28 sizes, in a line of a header beside it.
#include <stdint.h>
#include "hide_in_a_header.h"

struct scalars { uint32_t n; float alpha; };

void scale(const float *x, float *y, struct scalars s) {
    for (uint32_t i = 0; i < s.n; i++) y[i] = scaled(x[i], s.alpha, s.n);
}
