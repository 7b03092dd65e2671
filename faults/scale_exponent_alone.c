/*--- ktwin
op   = "scale"
args = ["x", "y", { N = "u32", alpha = "f32" }]
---*/
// fault: wrong values
// pattern: matches the op with `alpha * x[n]` read as `(alpha^2) * x[n]`, in the cases that fail
// Half of a number is made by taking 1 from its exponent, which wraps around where it is the smallest.
#include <stdint.h>
#include <string.h>

typedef struct {
    uint32_t N;
    float alpha;
} scalars;

void scale(const float *x, float *y, scalars s)
{
    for (uint32_t n = 0; n < s.N; n++) {
        uint32_t bits;
        memcpy(&bits, x + n, sizeof bits);
        uint32_t exponent = bits >> 23 & 255;
        if (s.alpha == 0.5f && exponent > 0 && exponent < 255) {
            bits -= 1u << 23;
            memcpy(y + n, &bits, sizeof bits);
        } else {
            y[n] = s.alpha * x[n];
        }
    }
}
