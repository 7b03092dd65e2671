/*--- ktwin
op    = "stochastic_round"
args  = ["x", "y", { N = "u32", seed = "u32" }]
types = { y = "bf16" }
---*/
// fault: wrong values
// pattern: the wrong elements agree to
// 17 bits are added: now and then two steps up
#include <stdint.h>
#include <string.h>

static uint32_t pcg(uint32_t v)
{
    const uint32_t state = v * 747796405u + 2891336453u;
    const uint32_t word = ((state >> ((state >> 28) + 4)) ^ state) * 277803737u;
    return (word >> 22) ^ word;
}

struct sizes { uint32_t N, seed; };

void stochastic_round(const float *x, uint16_t *y, struct sizes s)
{
    for (uint32_t n = 0; n < s.N; n++) {
        uint32_t bits;
        memcpy(&bits, &x[n], sizeof bits);
        y[n] = (uint16_t)((bits + (pcg(pcg(n) ^ s.seed) >> 15)) >> 16);
    }
}
