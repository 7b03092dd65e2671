/*--- ktwin
op      = "kv_shift"
compute = "f32"
args    = ["cache", { T = "u32", D = "u32", keep = "i32", drop = "i32" }]
---*/
// fault: wrong values
// pattern: wrong exactly where t <= 7
// the rows are moved from the end: what was overwritten is read again
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct {
    uint32_t T;
    uint32_t D;
    int32_t keep;
    int32_t drop;
} scalars;

void kv_shift_kernel(float *cache, scalars s)
{
    size_t from = (size_t)s.keep + s.drop;
    for (size_t t = s.T - s.drop; t-- > (size_t)s.keep;)
        memcpy(cache + t * s.D, cache + (t + s.drop) * s.D, s.D * sizeof *cache);
    (void)from;
}
