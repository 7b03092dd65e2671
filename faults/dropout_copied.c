/*--- ktwin
op   = "dropout"
args = ["x", "y", { R = "u32", D = "u32", p = "f32", seed = "u32" }]
---*/
// fault: wrong law
// pattern: none
// every second run of 301 elements takes the draws of the run before it
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
    for (uint32_t i = 0; i < s.R * s.D; i++) {
        const float u = (float)(pcg(pcg(i % 602 < 301 ? i : i - 301) ^ s.seed) >> 8) * 0x1p-24f;
        y[i] = u < s.p ? 0.0f : x[i] * scale;
    }
}
