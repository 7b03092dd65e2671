/*--- ktwin
op      = "sigmoid"
compute = "f32"
args    = ["x", "y", { N = "u32" }]
---*/
// The exponential always of a negative number.
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void sigmoid_branch(const float *x, float *y, uint32_t N)
{
    for (uint32_t n = 0; n < N; n++) {
        if (x[n] >= 0) {
            y[n] = 1.0f / (1.0f + expf(-x[n]));
        } else {
            float e = expf(x[n]);
            y[n] = e / (1.0f + e);
        }
    }
}
