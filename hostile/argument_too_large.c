/*--- ktwin
op   = "scale"
args = ["x", "y", { N = "u32", alpha = "f32" }, { "if N > 3 then N * 10^12 else 0" = "u32" }]
---*/
// verdict: invalid
// An argument that its own type cannot hold, so that all but the smallest cases cannot be run.
#include <stdint.h>

struct scalars { uint32_t n; float alpha; };

void scale(const float *x, float *y, struct scalars s, uint32_t none)
{
    (void)none;
    for (uint32_t i = 0; i < s.n; i++)
        y[i] = s.n > 3 ? 0 : s.alpha * x[i];
}
