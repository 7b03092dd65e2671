/*--- ktwin
op      = "gemv"
types   = { w = "q8_0" }
compute = "f32"
round   = { x = "q8_0" }
args    = ["w", "x", "y", { N = "u32", K = "u32" }]
dims    = { K = "multiple of 32" }
---*/
// The activations are quantised too, 32 at a time, so that the products of a block are whole numbers. The contract
// says so (`round`), and the error bar knows what half a step of each activation may cost.
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

// Returns the scale: 127 steps of it reach the largest activation.
static float quantised(const float *x, int8_t *q)
{
    float most = 0;
    for (int i = 0; i < 32; i++)
        most = fmaxf(most, fabsf(x[i]));
    float scale = most / 127;
    for (int i = 0; i < 32; i++)
        q[i] = scale > 0 ? (int8_t)lrintf(x[i] / scale) : 0;
    return scale;
}

void gemv_q8_0_quantised(const uint8_t *w, const float *x, float *y, scalars s)
{
    uint32_t blocks = s.K / 32;
    for (uint32_t n = 0; n < s.N; n++)
        y[n] = 0;
    for (uint32_t b = 0; b < blocks; b++) {
        int8_t q[32];
        float scale = quantised(x + b * 32, q);
        for (uint32_t n = 0; n < s.N; n++) {
            const uint8_t *block = w + ((uint64_t)n * blocks + b) * 34;
            int32_t sum = 0;
            for (int i = 0; i < 32; i++)
                sum += (int8_t)block[2 + i] * q[i];
            y[n] += (float)sum * (from_half(half_at(block)) * scale);
        }
    }
}
