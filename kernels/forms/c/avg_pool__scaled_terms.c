/*--- ktwin
op      = "avg_pool"
compute = "f32"
args    = ["x", "y",
           { N = "u32", C = "u32", H = "u32", W = "u32", P = "u32", Q = "u32", size = "u32", stride = "u32", pad = "u32" }]
---*/
// Every element of the window times 1 / size^2.
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

void avg_pool_scaled_terms(const float *x, float *y, scalars s)
{
    const float share = 1.0f / (float)(s.size * s.size);
    for (size_t plane = 0; plane < (size_t)s.N * s.C; plane++) {
        const float *in = x + plane * s.H * s.W;
        for (uint32_t p = 0; p < s.P; p++)
            for (uint32_t q = 0; q < s.Q; q++) {
                float mean = 0;
                for (int64_t h = (int64_t)p * s.stride - s.pad; h < (int64_t)p * s.stride - s.pad + s.size; h++)
                    for (int64_t v = (int64_t)q * s.stride - s.pad; v < (int64_t)q * s.stride - s.pad + s.size; v++)
                        if (h >= 0 && h < s.H && v >= 0 && v < s.W)
                            mean += share * in[h * s.W + v];
                *y++ = mean;
            }
    }
}
