/*--- ktwin
op      = "logsumexp"
compute = "f32"
args    = ["x", "y", { R = "u32", D = "u32" }]
---*/
// Maximum and sum merged by recursive halving.
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    uint32_t R;
    uint32_t D;
} scalars;

typedef struct {
    float m, l;
} state;

static state fold(const float *x, uint32_t n)
{
    if (n == 1)
        return (state){x[0], 1.0f};
    state a = fold(x, n / 2), b = fold(x + n / 2, n - n / 2);
    if (a.m >= b.m)
        return (state){a.m, a.l + b.l * expf(b.m - a.m)};
    return (state){b.m, b.l + a.l * expf(a.m - b.m)};
}

void logsumexp_online_pairs(const float *x, float *y, scalars s)
{
    for (size_t r = 0; r < s.R; r++) {
        state all = fold(x + r * s.D, s.D);
        y[r] = all.m + logf(all.l);
    }
}
