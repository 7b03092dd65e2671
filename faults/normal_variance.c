/*--- ktwin
op   = "normal"
args = ["y", { N = "u32", mu = "f32", sd = "f32", seed = "u32" }]
---*/
// fault: wrong law
// pattern: matches the op with `-2 * log(u[n])` read as `-1 * log(u[n])`
// the factor 2 of the logarithm is lost
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

struct sizes { uint32_t N; float mu, sd; uint32_t seed; };

void normal(float *y, struct sizes s)
{
    for (uint32_t n = 0; n < s.N; n++) {
        float a, square;
        uint32_t at = 0;
        do {
            a = 2.0f * uniform(s.seed, n, at++) - 1.0f;
            const float b = 2.0f * uniform(s.seed, n, at++) - 1.0f;
            square = a * a + b * b;
        } while (square >= 1.0f || square == 0.0f);
        y[n] = s.mu + s.sd * a * sqrtf(-logf(square) / square);
    }
}
