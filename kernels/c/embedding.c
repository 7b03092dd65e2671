/*--- ktwin
op      = "embedding"
types   = { table = "f16", y = "f16" }
compute = "f32"
args    = ["ids", "table", "y", { T = "u32", D = "u32" }]
nan     = "propagate"
---*/
// Rows are copied as they lie in memory.
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct {
    uint32_t T, D;
} scalars;

void embedding(const uint32_t *ids, const uint16_t *table, uint16_t *y, scalars s)
{
    for (uint32_t t = 0; t < s.T; t++)
        memcpy(y + (size_t)t * s.D, table + (size_t)ids[t] * s.D, s.D * sizeof *y);
}
