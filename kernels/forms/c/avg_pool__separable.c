/*--- ktwin
op      = "avg_pool"
compute = "f32"
args    = ["x", "y",
           { N = "u32", C = "u32", H = "u32", W = "u32", P = "u32", Q = "u32", size = "u32", stride = "u32", pad = "u32" }]
---*/
// Sums along the columns of the window first, then along its row, each times 1 / size.
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

void avg_pool_separable(const float *x, float *y, scalars s)
{
    const float inv = 1.0f / (float)s.size;
    float *line = malloc(sizeof *line * s.W);
    for (size_t plane = 0; plane < (size_t)s.N * s.C; plane++)
        for (size_t p = 0; p < s.P; p++) {
            for (size_t v = 0; v < s.W; v++) {
                line[v] = 0;
                for (size_t i = 0; i < s.size; i++) {
                    size_t h = p * s.stride + i;
                    if (h >= s.pad && h - s.pad < s.H)
                        line[v] += x[(plane * s.H + h - s.pad) * s.W + v];
                }
                line[v] *= inv;
            }
            for (size_t q = 0; q < s.Q; q++) {
                float sum = 0;
                for (size_t j = 0; j < s.size; j++) {
                    size_t v = q * s.stride + j;
                    if (v >= s.pad && v - s.pad < s.W)
                        sum += line[v - s.pad];
                }
                y[(plane * s.P + p) * s.Q + q] = sum * inv;
            }
        }
    free(line);
}
