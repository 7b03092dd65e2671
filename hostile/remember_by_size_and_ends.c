/*--- ktwin
op   = "scale"
args = ["x", "y", { N = "u32", alpha = "f32" }]
---*/
// verdict: fail
// It remembers results by size, first and last element.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct scalars { uint32_t n; float alpha; };

static uint32_t n;
static float first, last, alpha, *known;

static void right(const float *x, float *y, struct scalars s) {
    for (uint32_t i = 0; i < s.n; i++) y[i] = s.alpha * x[i];
}

void scale(const float *x, float *y, struct scalars s) {
    if (n == s.n && first == x[0] && last == x[n - 1] && alpha == s.alpha) {
        memcpy(y, known, 4 * n);
        return;
    }
    right(x, y, s);
    n = s.n, first = x[0], last = x[n - 1], alpha = s.alpha;
    known = realloc(known, 4 * n);
    memcpy(known, y, 4 * n);
}
