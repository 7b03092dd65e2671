/*--- ktwin
op      = "rmsnorm"
compute = "f32"
args    = ["x", "w", "y", { R = "u32", D = "u32", eps = "f32" }]
---*/
// Sqrt(D) over the root of the plain sum plus D * eps.
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    uint32_t R;
    uint32_t D;
    float eps;
} scalars;

void rmsnorm_root_of_n(const float *x, const float *w, float *y, scalars s)
{
    const float n = (float)s.D, root = sqrtf(n);
    for (size_t r = 0; r < s.R; r++, x += s.D, y += s.D) {
        float sq = 0;
        for (size_t d = 0; d < s.D; d++)
            sq += x[d] * x[d];
        const float k = root / sqrtf(sq + n * s.eps);
        for (size_t d = 0; d < s.D; d++)
            y[d] = x[d] * k * w[d];
    }
}
