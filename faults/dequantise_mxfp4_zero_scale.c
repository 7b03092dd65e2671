/*--- ktwin
op    = "dequantise"
types = { x = "mxfp4" }
args  = ["x", "y", { R = "u32", K = "u32" }]
dims  = { K = "multiple of 32" }
---*/
// fault: wrong values
// pattern: every wrong element is zero
// The byte of the scale becomes the exponent of half of it: of the smallest two nothing is left.
#include <stddef.h>
#include <stdint.h>
#include <string.h>

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
        uint32_t bits = block[0] > 0 ? (uint32_t)(block[0] - 1) << 23 : 0;
        float half;
        memcpy(&half, &bits, sizeof half);
        for (int i = 0; i < 32; i++) {
            int code = i < 16 ? block[1 + i] & 15 : block[1 + i - 16] >> 4;
            float size = doubled[code & 7] * half;
            y[b * 32 + i] = code & 8 ? -size : size;
        }
    }
}
