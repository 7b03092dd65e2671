/*--- ktwin
op      = "add"
compute = "f32"
args    = ["a", "b", "c", { N = "u32" }]
---*/
// fault: unwritten elements
// pattern: every wrong element was never written
// pattern: fails exactly when N >=
// the last element is not written where N > 1000
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

void add_kernel(const float *a, const float *b, float *c, uint32_t N)
{
    for (uint32_t n = 0; n < N - (N > 1000); n++)
        c[n] = a[n] + b[n];
}
