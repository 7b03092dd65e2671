/*--- ktwin
op      = "variance"
compute = "f32"
args    = ["x", "y", { N = "u32" }]
---*/
// Four Welford streams, merged pairwise as a vector unit would.
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    float n, mean, m2;
} stats;

static stats merge(stats a, stats b)
{
    stats c;
    c.n = a.n + b.n;
    if (c.n == 0)
        return a;
    float delta = b.mean - a.mean;
    c.mean = a.mean + delta * (b.n / c.n);
    c.m2 = a.m2 + b.m2 + delta * delta * (a.n * (b.n / c.n));
    return c;
}

void variance_welford_four_lanes(const float *x, float *y, uint32_t N)
{
    stats lane[4] = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
    for (uint32_t i = 0; i < N; i++) {
        stats *l = &lane[i % 4];
        l->n += 1;
        float delta = x[i] - l->mean;
        l->mean += delta / l->n;
        l->m2 += delta * (x[i] - l->mean);
    }
    stats all = merge(merge(lane[0], lane[1]), merge(lane[2], lane[3]));
    *y = all.m2 / all.n;
}
