/*--- ktwin
op   = "dropout"
args = ["x", "y", { R = "u32", D = "u32", p = "f32", seed = "u32" }]
---*/
// fault: wrong law
// pattern: matches the op with `u[r, d] < p` read as `u[r, d] > p`
// p is taken as the probability to keep
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
        const float u = (float)(pcg(pcg(i) ^ s.seed) >> 8) * 0x1p-24f;
        y[i] = u < s.p ? x[i] * scale : 0.0f;
    }
}
