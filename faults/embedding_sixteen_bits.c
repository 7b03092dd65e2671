/*--- ktwin
op   = "embedding"
args = ["ids", "table", "y", { T = "u32", V = "u32", D = "u32" }]
---*/
// fault: wrong values
// pattern: fails exactly when V >= 65537
// Indices go through 16 bits: a table of more than 65536 rows is read from its start again.
#include <stdint.h>

typedef struct {
    uint32_t T, V, D;
} sizes_t;


void embedding(const uint32_t *ids, const float *table, float *y, sizes_t s)
{
    for (uint32_t t = 0; t < s.T; t++) {
        uint16_t row = (uint16_t)ids[t];
        for (uint32_t d = 0; d < s.D; d++)
            y[t * s.D + d] = table[row * s.D + d];
    }
}
