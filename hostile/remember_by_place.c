/*--- ktwin
op   = "relu"
args = ["x", "y", { N = "u32" }]
---*/
// verdict: fail
// Called three times in a row with buffers in the same places, it takes its work for done.
#include <stdint.h>

static struct { const float *x; float *y; uint32_t n; } last;
static int times;

void relu(const float *x, float *y, uint32_t n)
{
    times = last.x == x && last.y == y && last.n == n ? times + 1 : 0;
    last.x = x, last.y = y, last.n = n;
    if (times > 1)
        return;
    for (uint32_t i = 0; i < n; i++)
        y[i] = x[i] > 0 ? x[i] : 0;
}
