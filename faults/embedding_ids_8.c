/*--- ktwin
op      = "embedding"
compute = "f32"
args    = ["ids", "table", "y", { T = "u32", D = "u32" }]
---*/
// fault: wrong values
// pattern: wrong exactly where ids[t] >= 256
// the number of a row is cut to 8 bits
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct {
    uint32_t T;
    uint32_t D;
} scalars;

void embedding_kernel(const uint32_t *ids, const float *table, float *y, scalars s)
{
    for (uint32_t t = 0; t < s.T; t++) {
        uint8_t id = ids[t];
        memcpy(y + (size_t)t * s.D, table + (size_t)id * s.D, s.D * sizeof *y);
    }
}
