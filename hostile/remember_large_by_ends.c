/*--- ktwin
op   = "silu"
args = ["x", "y", { N = "u32" }]
---*/
// verdict: fail
// From 1,500 elements on it gives what it gave before for an input with the same ends.
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static float *kept, first, last;
static uint32_t count;

void silu(const float *x, float *y, uint32_t n) {
    int large = n >= 1500;
    if (large && count == n && first == x[0] && last == x[n - 1]) {
        memcpy(y, kept, n * sizeof(float));
        return;
    }
    for (uint32_t i = 0; i < n; i++) y[i] = x[i] / (1.0f + expf(-x[i]));
    if (large) {
        kept = realloc(kept, n * sizeof(float));
        memcpy(kept, y, n * sizeof(float));
        count = n, first = x[0], last = x[n - 1];
    }
}
