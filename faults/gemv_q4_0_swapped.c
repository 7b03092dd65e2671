/*--- ktwin
op      = "gemv"
types   = { w = "q4_0" }
compute = "f32"
args    = ["w", "x", "y", { N = "u32", K = "u32" }]
dims    = { K = "multiple of 32" }
---*/
// fault: wrong values
// pattern: matches the op with the two nibbles of each byte of `w` swapped
// The halves of a byte are exchanged: weight i comes from the high one.
// Block by block of 32 weights: 18 bytes, a scale (f16), then weights i and i + 16 in the halves of byte i.
#include <math.h>
#include <stdint.h>

typedef struct {
    uint32_t N, K;
} scalars;

// f16 to f32, exactly: C has no type for halves that every compiler knows.
static float from_half(uint16_t h)
{
    float size = (h & 0x7c00) == 0x7c00 ? ((h & 0x3ff) ? NAN : INFINITY)
               : (h & 0x7c00) == 0      ? ldexpf((float)(h & 0x3ff), -24)
                                        : ldexpf((float)((h & 0x3ff) | 0x400), (h >> 10 & 0x1f) - 25);
    return (h & 0x8000) ? -size : size;
}

static uint16_t half_at(const uint8_t *p)
{
    return (uint16_t)(p[0] | p[1] << 8);
}

void gemv_q4_0(const uint8_t *w, const float *x, float *y, scalars s)
{
    for (uint32_t n = 0; n < s.N; n++) {
        float sum = 0;
        for (uint32_t k = 0; k < s.K; k += 32, w += 18) {
            float block = 0;
            for (uint32_t i = 0; i < 16; i++) {
                block += (float)((w[2 + i] >> 4) - 8) * x[k + i];
                block += (float)((w[2 + i] & 15) - 8) * x[k + 16 + i];
            }
            sum += block * from_half(half_at(w));
        }
        y[n] = sum;
    }
}
