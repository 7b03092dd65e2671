/*--- ktwin
op      = "avg_pool"
compute = "f32"
args    = ["x", "y",
           { N = "u32", C = "u32", H = "u32", W = "u32", P = "u32", Q = "u32", size = "u32", stride = "u32", pad = "u32" }]
---*/
// A running mean over the window, zeros of the border included.
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    uint32_t N;
    uint32_t C;
    uint32_t H;
    uint32_t W;
    uint32_t P;
    uint32_t Q;
    uint32_t size;
    uint32_t stride;
    uint32_t pad;
} scalars;

void avg_pool_running_mean(const float *x, float *y, scalars s)
{
    for (size_t plane = 0; plane < (size_t)s.N * s.C; plane++)
        for (size_t p = 0; p < s.P; p++)
            for (size_t q = 0; q < s.Q; q++) {
                float mean = 0;
                uint32_t seen = 0;
                for (size_t i = 0; i < s.size; i++)
                    for (size_t j = 0; j < s.size; j++) {
                        ptrdiff_t h = (ptrdiff_t)(p * s.stride + i) - (ptrdiff_t)s.pad;
                        ptrdiff_t v = (ptrdiff_t)(q * s.stride + j) - (ptrdiff_t)s.pad;
                        int in = h >= 0 && v >= 0 && h < (ptrdiff_t)s.H && v < (ptrdiff_t)s.W;
                        float e = in ? x[(plane * s.H + h) * s.W + v] : 0.0f;
                        mean += (e - mean) / (float)++seen;
                    }
                y[(plane * s.P + p) * s.Q + q] = mean;
            }
}
