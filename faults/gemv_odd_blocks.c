/*--- ktwin
op      = "gemv"
types   = { w = "q4_0" }
compute = "f32"
args    = ["w", "x", "y", { N = "u32", K = "u32" }]
dims    = { K = "multiple of 32" }
---*/
// fault: wrong values
// pattern: matches the op with `sum[k](w[n, k] * x[k])` read as `sum[k where k < K // 64 * 64](w[n, k] * x[k])`, in the cases that fail
// The last block of a row is lost where their number is 3 above a multiple of 4
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct {
    uint32_t N;
    uint32_t K;
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

void gemv_kernel(const uint8_t *w, const float *x, float *y, scalars s)
{
    uint32_t blocks = s.K / 32;
    for (uint32_t n = 0; n < s.N; n++) {
        float sum = 0;
        for (uint32_t b = 0; b < blocks - (blocks % 4 == 3); b++) {
            const uint8_t *p = w + ((size_t)n * blocks + b) * 18;
            float part = 0;
            for (int i = 0; i < 16; i++)
                part += (float)((p[2 + i] & 15) - 8) * x[b * 32 + i] + (float)((p[2 + i] >> 4) - 8) * x[b * 32 + 16 + i];
            sum += part * from_half(half_at(p));
        }
        y[n] = sum;
    }
}
