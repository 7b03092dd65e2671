/*--- ktwin
op   = "embedding"
args = ["ids", "table", "y", { T = "u32", D = "u32" }]
---*/
// fault: wrong values
// pattern: fails only where D = 41, in 6 of 8 such cases
// The row by a reciprocal: 41 * (1 / 41.0f) is less than 1.
#include <stdint.h>

struct sizes { uint32_t T, D; };

void embedding(const uint32_t *ids, const float *table, float *y, struct sizes s)
{
    const float inverse = 1.0f / (float)s.D;
    for (uint32_t i = 0; i < s.T * s.D; i++) {
        const uint32_t row = (uint32_t)((float)i * inverse), column = i - row * s.D;
        y[i] = table[(uint64_t)ids[row] * s.D + column];
    }
}
