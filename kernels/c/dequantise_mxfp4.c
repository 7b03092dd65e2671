/*--- ktwin
op    = "dequantise"
types = { x = "mxfp4" }
args  = ["x", "y", { R = "u32", K = "u32" }]
dims  = { K = "multiple of 32" }
---*/
// A block is a byte for the scale, a power of two, and 32 codes of four bits. Codes stand for halves, so that whole
// numbers are scaled by half a power; that of the smallest two scales is subnormal, which ldexp knows.
#include <math.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
    uint32_t R;
    uint32_t K;
} scalars;

static const float doubled[8] = {0, 1, 2, 3, 4, 6, 8, 12};

void dequantise_kernel(const uint8_t *x, float *y, scalars s)
{
    size_t blocks = (size_t)s.R * (s.K / 32);
    for (size_t b = 0; b < blocks; b++) {
        const uint8_t *block = x + b * 17;
        for (int i = 0; i < 32; i++) {
            int code = i < 16 ? block[1 + i] & 15 : block[1 + i - 16] >> 4;
            float size = ldexpf(doubled[code & 7], block[0] - 128);
            y[b * 32 + i] = code & 8 ? -size : size;
        }
    }
}
