/*--- ktwin
op   = "dropout"
args = ["x", "y", { R = "u32", D = "u32", p = "f32", seed = "u32" }]
---*/
// fault: wrong law
// pattern: none
// rows are counted 31 apart, however long they are: of longer ones the ends share draws with the next row
#include <stdint.h>

static uint32_t pcg(uint32_t v)
{
    const uint32_t state = v * 747796405u + 2891336453u;
    const uint32_t word = ((state >> ((state >> 28) + 4)) ^ state) * 277803737u;
    return (word >> 22) ^ word;
}

struct sizes { uint32_t R, D; float p; uint32_t seed; };

void dropout(const float *x, float *y, struct sizes s)
{
    const float scale = 1.0f / (1.0f - s.p);
    for (uint32_t r = 0; r < s.R; r++) {
        for (uint32_t d = 0; d < s.D; d++) {
            const float u = (float)(pcg(pcg(31 * r + d) ^ s.seed) >> 8) * 0x1p-24f;
            y[r * s.D + d] = u < s.p ? 0.0f : x[r * s.D + d] * scale;
        }
    }
}
