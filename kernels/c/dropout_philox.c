/*--- ktwin
op   = "dropout_philox.op"
args = ["x", "y", { N = "u32", p = "f32", seed = "u32", offset = "u32" }]
---*/
// Ten rounds for every four elements; each takes the upper 24 bits of its word.
#include <stdint.h>

struct sizes { uint32_t N; float p; uint32_t seed, offset; };

static void philox(uint32_t word[4], uint32_t k0, uint32_t k1)
{
    for (int r = 0; r < 10; r++) {
        const uint64_t first = (uint64_t)0xd2511f53 * word[0], second = (uint64_t)0xcd9e8d57 * word[2];
        word[0] = (uint32_t)(second >> 32) ^ word[1] ^ k0;
        word[1] = (uint32_t)second;
        word[2] = (uint32_t)(first >> 32) ^ word[3] ^ k1;
        word[3] = (uint32_t)first;
        k0 += 0x9e3779b9;
        k1 += 0xbb67ae85;
    }
}

void dropout_philox(const float *x, float *y, struct sizes s)
{
    const float scale = 1.0f / (1.0f - s.p);
    for (uint32_t from = 0; from < s.N; from += 4) {
        uint32_t word[4] = { from / 4, 0, s.offset, 0 };
        philox(word, s.seed, 0);
        for (uint32_t i = 0; i < 4 && from + i < s.N; i++)
            y[from + i] = (float)(word[i] >> 8) * 0x1p-24f < s.p ? 0.0f : x[from + i] * scale;
    }
}
