/*--- ktwin
op    = "dequantise"
types = { x = "q4_0" }
args  = ["x", "y", { "R * K // 32" = "u32" }]
dims  = { K = "multiple of 32" }
---*/
// fault: crash
// pattern: none
// Four bytes at a time out of two words, also where one word has all four: after the last block there is no other.
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static uint32_t word(const uint32_t *x, size_t at)
{
    uint64_t both = (uint64_t)x[at / 4 + 1] << 32 | x[at / 4];
    return (uint32_t)(both >> (8 * (at % 4)));
}

static float half(uint32_t bits)
{
    _Float16 value;
    uint16_t low = (uint16_t)bits;
    memcpy(&value, &low, sizeof value);
    return (float)value;
}

void dequantise(const uint32_t *x, float *y, uint32_t blocks)
{
    for (size_t b = 0; b < blocks; b++) {
        size_t at = b * 18;
        float scale = half(word(x, at));
        for (uint32_t i = 0; i < 16; i += 4) {
            uint32_t four = word(x, at + 2 + i);
            for (uint32_t j = 0; j < 4; j++) {
                uint32_t pair = four >> (8 * j) & 255u;
                y[b * 32 + i + j] = ((float)(pair & 15u) - 8.0f) * scale;
                y[b * 32 + 16 + i + j] = ((float)(pair >> 4) - 8.0f) * scale;
            }
        }
    }
}
