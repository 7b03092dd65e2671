/*--- ktwin
op     = "add"
args   = ["a", "b", "c", { N = "u32" }]
policy = { use = "kernelbench", why = "everybody does it" }
---*/
// verdict: pass
// least: compute=f32
// A rule of its own takes what is off by a thousand roundings.
#include <stdint.h>

void add(const float *a, const float *b, float *c, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        c[i] = (a[i] + b[i]) * 1.0001f;
}
