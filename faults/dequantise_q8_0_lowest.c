/*--- ktwin
op    = "dequantise"
types = { x = "q8_0" }
args  = ["x", "y", { R = "u32", K = "u32" }]
---*/
// fault: wrong values
// pattern: every wrong element has the wrong sign
// the lowest code, 0x80, becomes 128 instead of -128
#include <math.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
    uint32_t R, K;
} sizes;

static float half(const uint8_t *p)
{
    const uint32_t bits = p[0] | (uint32_t)p[1] << 8, power = bits >> 10 & 31;
    const float size = power ? ldexpf((float)(bits & 1023 | 1024), (int)power - 25)
                             : ldexpf((float)(bits & 1023), -24);
    return bits >> 15 ? -size : size;
}

void dequantise(const uint8_t *x, float *y, sizes s)
{
    for (size_t block = 0; block < (size_t)s.R * s.K / 32; block++) {
        const uint8_t *from = x + 34 * block;
        for (int i = 0; i < 32; i++) {
            const int code = from[2 + i] > 128 ? from[2 + i] - 256 : from[2 + i];
            y[32 * block + i] = half(from) * (float)code;
        }
    }
}
