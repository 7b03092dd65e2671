/*--- ktwin
op   = "pad"
args = ["x", "y", { H = "i32", W = "i32", top = "i32", bottom = "i32", left = "i32", right = "i32", value = "f32" }]
---*/
// fault: crash
// pattern: none
// The padding is read like everything else and then not used: above the matrix and below it nothing is there.
#include <stddef.h>
#include <stdint.h>

typedef struct {
    int32_t H, W, top, bottom, left, right;
    float value;
} sizes_t;

void pad(const float *x, float *y, sizes_t s)
{
    int32_t P = s.H + s.top + s.bottom, Q = s.W + s.left + s.right;
    for (int32_t p = 0; p < P; p++)
        for (int32_t q = 0; q < Q; q++) {
            int32_t h = p - s.top, w = q - s.left;
            float read = *(const volatile float *)(x + (ptrdiff_t)h * s.W + w);
            int inside = h >= 0 && h < s.H && w >= 0 && w < s.W;
            y[(size_t)p * Q + q] = inside ? read : s.value;
        }
}
