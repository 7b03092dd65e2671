/*--- ktwin
op   = "sample_top_k"
args = ["logits", "token", { R = "u32", V = "u32", k = "u32", temperature = "f32", seed = "u32" }]
---*/
// fault: wrong law
// pattern: matches the op with `rank[r, v] < k` read as `rank[r, v] <= k`
// one token more than k
#include <math.h>
#include <stdint.h>

// xorshift, started from a number that seed and row are mixed into
static uint32_t begun(uint32_t seed, uint32_t row)
{
    uint64_t z = ((uint64_t)seed << 32 | row) + 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (uint32_t)(z >> 32) | 1;
}

static float next(uint32_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return ((float)(*state >> 9) + 0.5f) * 0x1p-23f;
}

static float largest(const float *row, uint32_t V)
{
    float most = -INFINITY;
    for (uint32_t v = 0; v < V; v++)
        most = fmaxf(most, row[v]);
    return most;
}

static uint32_t rank(const float *row, uint32_t V, uint32_t at)
{
    uint32_t above = 0;
    for (uint32_t v = 0; v < V; v++)
        above += row[v] > row[at] || (row[v] == row[at] && v < at);
    return above;
}

struct sizes { uint32_t R, V, k; float temperature; uint32_t seed; };

void sample_top_k(const float *logits, uint32_t *token, struct sizes s)
{
    for (uint32_t r = 0; r < s.R; r++) {
        const float *row = logits + (uint64_t)r * s.V;
        const float most = largest(row, s.V);
        float whole = 0.0f, sum = 0.0f;
        for (uint32_t v = 0; v < s.V; v++)
            whole += rank(row, s.V, v) <= s.k ? expf((row[v] - most) / s.temperature) : 0.0f;
        uint32_t state = begun(s.seed, r);
        const float share = next(&state) * whole;
        uint32_t last = 0;
        for (uint32_t v = 0; v < s.V && sum <= share; v++) {
            if (rank(row, s.V, v) <= s.k) {
                sum += expf((row[v] - most) / s.temperature);
                last = v;
            }
        }
        token[r] = last;
    }
}
