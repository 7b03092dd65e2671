/*--- ktwin
op   = "axpy"
args = [["x", "y", { alpha = "f32", N = "u32" }]]
---*/
// One struct with all that the function needs, pointers among it.
#include <stdint.h>

struct parameters {
    const float *x;
    float *y;
    float alpha;
    uint32_t count;
};

void axpy(struct parameters p)
{
    for (uint32_t i = 0; i < p.count; i++)
        p.y[i] += p.alpha * p.x[i];
}
