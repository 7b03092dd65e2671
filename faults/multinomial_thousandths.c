/*--- ktwin
op   = "multinomial"
args = ["weights", "index", { R = "u32", V = "u32", seed = "u32" }]
---*/
// fault: wrong law
// pattern: any
// The random number is one of a thousand, so that of more than a thousand indices many never come.
#include <stdint.h>

static float thousandth(uint32_t seed, uint32_t row)
{
    uint64_t z = ((uint64_t)seed << 32 | row) * 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    z ^= z >> 31;
    return ((float)(z % 1000) + 0.5f) / 1000.0f;
}

struct sizes { uint32_t R, V, seed; };

void multinomial(const float *weights, uint32_t *index, struct sizes s)
{
    for (uint32_t r = 0; r < s.R; r++) {
        const float *row = weights + (uint64_t)r * s.V;
        float sum = 0.0f, whole = 0.0f;
        for (uint32_t v = 0; v < s.V; v++)
            whole += row[v];
        const float share = thousandth(s.seed, r) * whole;
        uint32_t found = 0;
        for (uint32_t v = 0; v + 1 < s.V; v++) {
            sum += row[v];
            if (sum <= share)
                found = v + 1;
        }
        index[r] = found;
    }
}
