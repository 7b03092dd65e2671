/*--- ktwin
op      = "max_pool"
args    = ["x", "y", { N = "u32", C = "u32", H = "u32", W = "u32", P = "u32", Q = "u32", size = "u32", stride = "u32", pad = "u32" }]
---*/
// fault: wrong values
// pattern: matches the op with `max[i in 0..size, j in 0..size]( (x[n, c, p * stride + i - pad, q * stride + j - pad] else -inf))` read as `max(-1e30, max[i in 0..size, j in 0..size]( (x[n, c, p * stride + i - pad, q * stride + j - pad] else -inf)))`
// The maximum begins at -1e30, not at minus infinity.
#include <stdint.h>
#include <stddef.h>
#include <math.h>
typedef struct { uint32_t N, C, H, W, P, Q, size, stride, pad; } S;
void max_pool(const float *x, float *y, S s)
{
    for (uint32_t i = 0; i < s.N * s.C; i++)
        for (uint32_t p = 0; p < s.P; p++)
            for (uint32_t q = 0; q < s.Q; q++) {
                float m = -1e30f;
                for (uint32_t a = 0; a < s.size; a++)
                    for (uint32_t b = 0; b < s.size; b++) {
                        int64_t r = (int64_t)p * s.stride + a - s.pad, c = (int64_t)q * s.stride + b - s.pad;
                        if (r >= 0 && c >= 0 && r < s.H && c < s.W)
                            m = fmaxf(m, x[((size_t)i * s.H + r) * s.W + c]);
                    }
                y[((size_t)i * s.P + p) * s.Q + q] = m;
            }
}
