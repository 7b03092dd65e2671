/*--- ktwin
op    = "stochastic_round"
args  = ["x", "y", { N = "u32", seed = "u32" }]
---*/
// fault: wrong law
// pattern: none
// the draw has eight bits: what lies less than a 256th of a step above a number is never rounded up
#include <stdint.h>
#include <string.h>

static uint32_t pcg(uint32_t v)
{
    const uint32_t state = v * 747796405u + 2891336453u;
    const uint32_t word = ((state >> ((state >> 28) + 4)) ^ state) * 277803737u;
    return (word >> 22) ^ word;
}

struct sizes { uint32_t N, seed; };

void stochastic_round(const float *x, float *y, struct sizes s)
{
    for (uint32_t n = 0; n < s.N; n++) {
        const uint32_t draw = pcg(pcg(n) ^ s.seed) >> 24 << 8;
        uint32_t bits;
        memcpy(&bits, &x[n], sizeof bits);
        bits = bits + draw & 0xffff0000u;
        memcpy(&y[n], &bits, sizeof bits);
    }
}
