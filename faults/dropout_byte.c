/*--- ktwin
op   = "dropout"
args = ["x", "y", { R = "u32", D = "u32", p = "f32", seed = "u32" }]
---*/
// fault: wrong law
// pattern: none
// One random byte an element: what is dropped once in seven hundred times is dropped once in 256.
#include <math.h>
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
    const uint32_t below = (uint32_t)ceilf(s.p * 256.0f);
    for (uint32_t i = 0; i < s.R * s.D; i++) {
        const uint32_t byte = pcg(pcg(s.seed) ^ pcg(i)) >> 24;
        y[i] = byte < below ? 0.0f : x[i] * scale;
    }
}
