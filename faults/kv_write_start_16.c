/*--- ktwin
op   = "kv_write"
args = ["cache", "x", { S = "u32", D = "u32", pos = "u32" }]
---*/
// fault: wrong values
// pattern: the number of an element wraps around at 65536: what is due from there on is written 65536 places earlier
// the offset of the first row is kept in 16 bits
#include <stdint.h>
#include <string.h>

typedef struct {
    uint32_t S, D, pos;
} sizes;

void kv_write(float *cache, const float *x, sizes s)
{
    const uint16_t start = (uint16_t)(s.pos * s.D);
    memcpy(cache + start, x, (size_t)s.S * s.D * sizeof *x);
}
