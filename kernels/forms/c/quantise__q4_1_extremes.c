/*--- ktwin
op      = "quantise"
types   = { y = "q4_1" }
compute = "f32"
args    = ["x", "y", { R = "u32", K = "u32" }]
dims    = { K = "multiple of 32" }
---*/
// The smallest number of a block is code 0 and the largest code 15; a scale that f16 does not hold becomes what a
// conversion makes of it.
#include <math.h>
#include <stdint.h>

struct block {
    _Float16 scale, least;
    uint8_t codes[16];
};

struct sizes {
    uint32_t R, K;
};

static uint8_t code(float x, float least, float inverse)
{
    float c = rintf((x - least) * inverse);
    return c > 15.0f ? 15 : c > 0.0f ? (uint8_t)c : 0;
}

void quantise(const float *x, struct block *y, struct sizes s)
{
    const uint64_t blocks = (uint64_t)s.R * (s.K / 32);
    for (uint64_t b = 0; b < blocks; b++) {
        const float *from = x + b * 32;
        float least = from[0], most = from[0];
        for (int i = 1; i < 32; i++) {
            least = fminf(least, from[i]);
            most = fmaxf(most, from[i]);
        }
        const float scale = (most - least) / 15.0f;
        const float inverse = scale > 0.0f ? 1.0f / scale : 0.0f;
        y[b].scale = (_Float16)scale;
        y[b].least = (_Float16)least;
        for (int i = 0; i < 16; i++)
            y[b].codes[i] = code(from[i], least, inverse) | (uint8_t)(code(from[i + 16], least, inverse) << 4);
    }
}
