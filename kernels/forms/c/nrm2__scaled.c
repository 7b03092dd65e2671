/*--- ktwin
op      = "nrm2"
compute = "f32"
args    = ["x", "y", { N = "u32" }]
---*/
// Scale and sum of squares as in the reference BLAS, safe from overflow.
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void nrm2_scaled(const float *x, float *y, uint32_t N)
{
    float scale = 0, ssq = 1;
    for (uint32_t n = 0; n < N; n++) {
        float v = fabsf(x[n]);
        if (v == 0)
            continue;
        if (scale < v) {
            ssq = 1.0f + ssq * (scale / v) * (scale / v);
            scale = v;
        } else
            ssq += (v / scale) * (v / scale);
    }
    y[0] = scale * sqrtf(ssq);
}
