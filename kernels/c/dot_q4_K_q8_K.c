/*--- ktwin
op      = "dot"
types   = { a = "q4_K", b = "q8_K" }
args    = ["a", "b", "c", { N = "u32" }]
dims    = { N = "multiple of 256" }
---*/
// Products are summed in whole numbers, and minima by the sums that b keeps. A block of a is 144 bytes for 256
// weights: scale and scale of minima (f16), eight scales and eight minima of 6 bits in 12 bytes, then codes of 4 bits,
// 32 and the next 32 in the halves of 32 bytes. A block of b is 292 bytes: a scale (f32), 256 signed bytes, and the sum
// of each 16 of them (16 bits).
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

// f16 to f32, exactly: C has no type for halves that every compiler knows.
static float half_at(const uint8_t *p)
{
    uint16_t h = (uint16_t)(p[0] | p[1] << 8);
    float size = (h & 0x7c00) == 0x7c00 ? ((h & 0x3ff) ? NAN : INFINITY)
               : (h & 0x7c00) == 0      ? ldexpf((float)(h & 0x3ff), -24)
                                        : ldexpf((float)((h & 0x3ff) | 0x400), (h >> 10 & 0x1f) - 25);
    return (h & 0x8000) ? -size : size;
}

// Scale and minimum of 32 weights.
static void six_bits(const uint8_t *s, int j, int32_t *scale, int32_t *minimum)
{
    if (j < 4) {
        *scale = s[j] & 63;
        *minimum = s[j + 4] & 63;
    } else {
        *scale = (s[j + 4] & 15) | (s[j - 4] >> 6) << 4;
        *minimum = (s[j + 4] >> 4) | (s[j] >> 6) << 4;
    }
}

static float block_times(const uint8_t *w, const uint8_t *x)
{
    int32_t products = 0, minima = 0;
    for (int j = 0; j < 8; j++) {
        const uint8_t *codes = w + 16 + 32 * (j / 2);
        const int8_t *q = (const int8_t *)(x + 4 + 32 * j);
        int32_t scale, minimum, sum = 0;
        six_bits(w + 4, j, &scale, &minimum);
        for (int i = 0; i < 32; i++) sum += (j % 2 ? codes[i] >> 4 : codes[i] & 15) * q[i];
        int16_t parts[2];
        memcpy(parts, x + 260 + 4 * j, sizeof parts);
        products += scale * sum;
        minima += minimum * (parts[0] + parts[1]);
    }
    float d;
    memcpy(&d, x, sizeof d);
    return d * (half_at(w) * (float)products - half_at(w + 2) * (float)minima);
}

void dot_q4_K_q8_K(const uint8_t *a, const uint8_t *b, float *c, uint32_t n)
{
    float sum = 0;
    for (size_t k = 0; k < n / 256; k++) sum += block_times(a + 144 * k, b + 292 * k);
    *c = sum;
}
