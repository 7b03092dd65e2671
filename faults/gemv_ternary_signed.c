/*--- ktwin
op      = "gemv_ternary"
compute = "f32"
types   = { w = "u8" }
args    = ["w", "x", "y", { N = "u32", P = "u32", scale = "f32" }]
---*/
// fault: wrong values
// pattern: none
// a code is read as a number of two bits with a sign
#include <stdint.h>

typedef struct {
    uint32_t N, P;
    float scale;
} sizes;

void gemv_ternary(const uint8_t *w, const float *x, float *y, sizes s)
{
    for (uint32_t n = 0; n < s.N; n++) {
        float sum = 0;
        for (uint32_t k = 0; k < 4 * s.P; k++) {
            const int code = w[n * s.P + k / 4] >> (2 * (k % 4)) & 3;
            sum += (float)(code < 2 ? code : code - 4) * x[k];
        }
        y[n] = s.scale * sum;
    }
}
