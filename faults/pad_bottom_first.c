/*--- ktwin
op      = "pad"
compute = "f32"
args    = ["x", "y", { H = "u32", W = "u32", top = "i32", bottom = "i32", left = "i32", right = "i32", value = "f32" }]
---*/
// fault: wrong values
// pattern: matches the op with `x[p - top, q - left]` read as `x[p - bottom, q - left]`
// the lower border above
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct {
    uint32_t H;
    uint32_t W;
    int32_t top;
    int32_t bottom;
    int32_t left;
    int32_t right;
    float value;
} scalars;

void pad_kernel(const float *x, float *y, scalars s)
{
    uint32_t P = s.H + s.top + s.bottom, Q = s.W + s.left + s.right;
    for (uint32_t p = 0; p < P; p++)
        for (uint32_t q = 0; q < Q; q++) {
            int64_t h = (int64_t)p - s.bottom, w = (int64_t)q - s.left;
            int inside = h >= 0 && h < s.H && w >= 0 && w < s.W;
            y[(size_t)p * Q + q] = inside ? x[h * s.W + w] : s.value;
        }
}
