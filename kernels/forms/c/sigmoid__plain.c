/*--- ktwin
op      = "sigmoid"
compute = "f32"
args    = ["x", "y", { N = "u32" }]
---*/
// 1 / (1 + expf(-x)).
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void sigmoid_plain(const float *x, float *y, uint32_t N)
{
    for (uint32_t n = 0; n < N; n++)
        y[n] = 1.0f / (1.0f + expf(-x[n]));
}
