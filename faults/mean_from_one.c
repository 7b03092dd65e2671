/*--- ktwin
op      = "mean"
compute = "f32"
args    = ["x", "y", { N = "u32" }]
---*/
// fault: wrong values
// pattern: matches the op with `sum[n](x[n])` read as `sum[n where n != 0](x[n])`, in the cases that fail
// the first element is skipped where N > 256
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

void mean_kernel(const float *x, float *y, uint32_t N)
{
    double sum = 0;
    for (uint32_t n = N > 256; n < N; n++) {
        sum += x[n];
    }
    *y = (float)(sum / N);
}
