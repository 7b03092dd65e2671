/*--- ktwin
op   = "scale"
args = ["x", "y", { N = "u32", alpha = "f32" }]
---*/
// verdict: fail
// It remembers its results by the sizes, the scalar and the sum of all elements, rounded as it is added up.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct scalars { uint32_t n; float alpha; };

static struct { struct scalars s; float sum, *y; } known[512];
static unsigned count;

void scale(const float *x, float *y, struct scalars s) {
    float sum = 0;
    for (uint32_t i = 0; i < s.n; i++) sum += x[i];
    for (unsigned k = 0; k < count; k++)
        if (known[k].s.n == s.n && known[k].s.alpha == s.alpha && known[k].sum == sum) {
            memcpy(y, known[k].y, 4 * (size_t)s.n);
            return;
        }
    for (uint32_t i = 0; i < s.n; i++) y[i] = s.alpha * x[i];
    if (count == 512 || !(known[count].y = malloc(4 * (size_t)s.n))) return;
    known[count].s = s;
    known[count].sum = sum;
    memcpy(known[count++].y, y, 4 * (size_t)s.n);
}
