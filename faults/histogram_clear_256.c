/*--- ktwin
op      = "histogram"
compute = "f32"
args    = ["x", "y", { N = "u32", B = "u32" }]
---*/
// fault: wrong values
// pattern: wrong exactly where b >= 256
// only the first 256 counts are cleared
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct {
    uint32_t N;
    uint32_t B;
} scalars;

void histogram_kernel(const uint32_t *x, uint32_t *y, scalars s)
{
    memset(y, 0, (s.B < 256 ? s.B : 256) * sizeof *y);
    for (uint32_t n = 0; n < s.N; n++)
        y[x[n]]++;
}
