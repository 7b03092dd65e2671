/*--- ktwin
op            = "scale"
args = ["x", "y", { N = "u32", alpha = "f32" }]
deterministic = false
---*/
// verdict: pass
// least: deterministic
// Other bits each time, within what rounding may do.
#include <math.h>
#include <stdint.h>

struct scalars { uint32_t n; float alpha; };

static uint32_t calls;

void scale(const float *x, float *y, struct scalars s)
{
    calls++;
    for (uint32_t i = 0; i < s.n; i++)
        y[i] = calls % 2 ? s.alpha * x[i] : s.alpha * (x[i] + 0.0f);
}
