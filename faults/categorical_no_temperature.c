/*--- ktwin
op   = "categorical"
args = ["logits", "token", { R = "u32", V = "u32", temperature = "f32", seed = "u32" }]
---*/
// fault: wrong law
// pattern: matches the op with `logits[r, v] / temperature` read as `logits[r, v]`
// logits as they are, whatever the temperature
#include <math.h>
#include <stdint.h>

static float uniform(uint32_t seed, uint32_t row, uint32_t at)
{
    uint64_t z = ((uint64_t)seed << 32 | row) * 0x9e3779b97f4a7c15u + at * 0xd1342543de82ef95u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    z ^= z >> 31;
    return ((float)(z >> 41) + 0.5f) * 0x1p-23f;
}

struct sizes { uint32_t R, V; float temperature; uint32_t seed; };

void categorical(const float *logits, uint32_t *token, struct sizes s)
{
    for (uint32_t r = 0; r < s.R; r++) {
        const float *row = logits + (uint64_t)r * s.V;
        uint32_t best = 0;
        float most = -INFINITY;
        for (uint32_t v = 0; v < s.V; v++) {
            const float z = row[v] - logf(-logf(uniform(s.seed, r, v)));
            if (z > most) {
                most = z;
                best = v;
            }
        }
        token[r] = best;
    }
}
