/*--- ktwin
op   = "scale"
args = ["x", "y", { N = "u32", alpha = "f32" }]
---*/
// verdict: fail
// It returns at once where the output still ends as it left it.
#include <stdint.h>

struct scalars { uint32_t n; float alpha; };

static const float *last_x;
static float *last_y;
static float end;
static struct scalars last;

void scale(const float *x, float *y, struct scalars s) {
    if (s.n == 0) return;
    if (x == last_x && y == last_y && s.n == last.n && s.alpha == last.alpha && y[s.n - 1] == end) return;
    for (uint32_t i = 0; i < s.n; i++) y[i] = s.alpha * x[i];
    last_x = x, last_y = y, last = s, end = y[s.n - 1];
}
