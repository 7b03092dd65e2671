/*--- ktwin
op   = "scale"
args = ["x", "y", { N = "u32", alpha = "f32" }]
---*/
// verdict: fail
// It is wrong for 28 sizes, in lines that it claims are of a header of the system.
#include <stdint.h>

struct scalars { uint32_t n; float alpha; };

#line 1 "/usr/include/math.h" 3
void scale(const float *x, float *y, struct scalars s) {
    uint32_t odd = 2;
    for (int i = 0; i < 4; i++) odd = odd * 3 + 1;
    for (uint32_t i = 0; i < s.n; i++) y[i] = s.alpha * x[i];
    if (s.n - odd < 28) {
        y[0] += 1;
    }
}
