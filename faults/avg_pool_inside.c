/*--- ktwin
op      = "avg_pool"
compute = "f32"
args    = ["x", "y", { N = "u32", C = "u32", H = "u32", W = "u32", P = "u32", Q = "u32", size = "i32", stride = "i32", pad = "i32" }]
---*/
// fault: wrong values
// pattern: fails only where pad >= 1 (it passes at 0), in 22 of 23 such cases
// the average of the elements inside the image only
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct {
    uint32_t N;
    uint32_t C;
    uint32_t H;
    uint32_t W;
    uint32_t P;
    uint32_t Q;
    int32_t size;
    int32_t stride;
    int32_t pad;
} scalars;

void avg_pool_kernel(const float *x, float *y, scalars s)
{
    for (uint32_t c = 0; c < s.N * s.C; c++)
        for (uint32_t p = 0; p < s.P; p++)
            for (uint32_t q = 0; q < s.Q; q++) {
                float sum = 0;
                int count = 0;
                for (int i = 0; i < s.size; i++)
                    for (int j = 0; j < s.size; j++) {
                        int h = (int)p * s.stride + i - s.pad, w = (int)q * s.stride + j - s.pad;
                        if (h >= 0 && h < (int)s.H && w >= 0 && w < (int)s.W) {
                            sum += x[((size_t)c * s.H + h) * s.W + w];
                            count++;
                        }
                    }
                y[((size_t)c * s.P + p) * s.Q + q] = sum / (float)(count ? count : 1);
            }
}
