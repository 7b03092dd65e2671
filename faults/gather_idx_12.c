/*--- ktwin
op      = "gather"
compute = "f32"
args    = ["x", "idx", "y", { R = "u32", D = "u32", K = "u32" }]
---*/
// fault: wrong values
// pattern: wrong exactly where idx[r, k] >= 4096
// indices wrap at 4096
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct {
    uint32_t R;
    uint32_t D;
    uint32_t K;
} scalars;

void gather_kernel(const float *x, const uint32_t *idx, float *y, scalars s)
{
    for (uint32_t r = 0; r < s.R; r++)
        for (uint32_t k = 0; k < s.K; k++)
            y[(size_t)r * s.K + k] = x[(size_t)r * s.D + idx[(size_t)r * s.K + k] % 4096];
}
