/*--- ktwin
op   = "scale"
args = ["x", "y", { N = "u32", alpha = "f32" }]
---*/
// verdict: fail
// Each process rounds by chance, up or down within what is allowed, and its own number is all the chance there is.
#include <math.h>
#include <stdint.h>
#include <unistd.h>

struct scalars { uint32_t n; float alpha; };

void scale(const float *x, float *y, struct scalars s) {
    uint32_t drawn = (uint32_t)getpid() * 2654435761u;
    for (uint32_t i = 0; i < s.n; i++) {
        double exact = (double)s.alpha * x[i];
        float near = (float)exact;
        float other = nextafterf(near, exact > near ? INFINITY : -INFINITY);
        drawn = drawn * 1664525u + 1013904223u;
        // no further than the nearest number's neighbour, where the bar takes both
        y[i] = drawn >> 31 && fabs(other - exact) < 0.55 * fabs((double)other - near) ? other : near;
    }
}
