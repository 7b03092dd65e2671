/*--- ktwin
op      = "sort"
args    = ["x", "y", "all", { N = "u32" }]
scratch = { all = "f32[int(exp2(ceil(log2(N))))]" }
dims    = { N = "..=4096" }
nan     = "never"
---*/
// fault: wrong values
// pattern: every element is wrong
// Filled up with 3e38, and not with infinity: what is finite and larger is lost behind it.
#include <stdint.h>

static void order(float *a, float *b, int falling)
{
    if (falling ? *a < *b : *a > *b) {
        float t = *a;
        *a = *b;
        *b = t;
    }
}

void sort(const float *x, float *y, float *all, uint32_t N)
{
    uint32_t count = 1;
    while (count < N)
        count *= 2;
    for (uint32_t i = 0; i < count; i++)
        all[i] = i < N ? x[i] : 3.0e38f;
    for (uint32_t part = 2; part <= count; part *= 2)
        for (uint32_t step = part / 2; step > 0; step /= 2)
            for (uint32_t i = 0; i < count; i++)
                if (!(i & step))
                    order(all + i, all + (i | step), (i & part) != 0);
    for (uint32_t i = 0; i < N; i++)
        y[i] = all[i];
}
