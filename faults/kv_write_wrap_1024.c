/*--- ktwin
op      = "kv_write"
compute = "f32"
args    = ["cache", "x", { S = "u32", D = "u32", pos = "i32" }]
---*/
// fault: wrong values
// pattern: none
// positions wrap at 1024
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct {
    uint32_t S;
    uint32_t D;
    int32_t pos;
} scalars;

void kv_write_kernel(float *cache, const float *x, scalars s)
{
    for (uint32_t i = 0; i < s.S; i++)
        memcpy(cache + (size_t)((s.pos + i) % 1024) * s.D, x + (size_t)i * s.D, s.D * sizeof *x);
}
