/*--- ktwin
op      = "gemv_ternary"
compute = "f32"
types   = { w = "u8" }
args    = ["w", "x", "y", { N = "u32", P = "u32", scale = "f32" }]
---*/
// No products: what has the code 0 is taken off, what has the code 2 is added (and 3, twice).
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
            if (code == 0)
                sum -= x[k];
            for (int more = 1; more < code; more++)
                sum += x[k];
        }
        y[n] = s.scale * sum;
    }
}
