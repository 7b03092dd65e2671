/*--- ktwin
op      = "linear_recurrence"
compute = "f32"
args    = ["a", "b", "h0", "h", { T = "u32", D = "u32" }]
tile    = { T = 16 }
---*/
// fault: wrong values
// pattern: fails only where T >= 17, in 30 of 35 such cases
// chunks do not take on what came before them
#include <stdint.h>

typedef struct {
    uint32_t T, D;
} sizes;

void linear_recurrence(const float *a, const float *b, const float *h0, float *h, sizes s)
{
    for (uint32_t d = 0; d < s.D; d++) {
        float before = h0[d];
        for (uint32_t first = 0; first < s.T; first += 16) {
            const uint32_t end = first + 16 < s.T ? first + 16 : s.T;
            float own = 0, kept = 1;
            for (uint32_t t = first; t < end; t++) {
                own = a[t * s.D + d] * own + b[t * s.D + d];
                kept *= a[t * s.D + d];
                h[t * s.D + d] = own + kept * before;
            }
            before = own;
        }
    }
}
