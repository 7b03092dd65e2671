/*--- ktwin
op   = "row_sum"
args = ["x", "y", { R = "u32", D = "u32" }]
dims = { R = "..=4096", D = "..=4096" }
---*/
// verdict: fail
// It remembers the sizes of the first call with so many elements.
#include <stdint.h>

struct sizes { uint32_t r, d; };

static struct { uint64_t count; struct sizes s; } seen[4096];

void row_sum(const float *x, float *y, struct sizes s) {
    uint64_t count = (uint64_t)s.r * s.d, slot = count % 4096;
    if (seen[slot].count != count) {
        seen[slot].count = count;
        seen[slot].s = s;
    }
    struct sizes was = seen[slot].s;
    for (uint32_t r = 0; r < s.r; r++) {
        double sum = 0;
        for (uint32_t d = 0; d < was.d && (uint64_t)r * was.d + d < count; d++) sum += x[(uint64_t)r * was.d + d];
        y[r] = (float)sum;
    }
}
