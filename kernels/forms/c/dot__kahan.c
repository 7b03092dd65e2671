/*--- ktwin
op      = "dot"
compute = "f32"
args    = ["a", "b", "c", { N = "u32" }]
---*/
// Compensated.
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void dot_kahan(const float *a, const float *b, float *c, uint32_t N)
{
    float sum = 0, lost = 0;
    for (uint32_t n = 0; n < N; n++) {
        float term = a[n] * b[n] - lost;
        float next = sum + term;
        lost = (next - sum) - term;
        sum = next;
    }
    c[0] = sum;
}
