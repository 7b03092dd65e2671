/*--- ktwin
op      = "sum"
compute = "f32"
args    = ["x", "y", { N = "u32" }]
---*/
// fault: not repeatable
// pattern: none
// the sum begins at a place that an address chooses: every process has others
#include <stddef.h>
#include <stdint.h>

void sum_kernel(const float *x, float *y, uint32_t N)
{
    volatile float total = 0;
    uint32_t first = (uint32_t)((uintptr_t)&total >> 4) % N;
    for (uint32_t n = 0; n < N; n++) {
        uint32_t at = first + n;
        total += x[at < N ? at : at - N];
    }
    y[0] = total;
}
