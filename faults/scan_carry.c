/*--- ktwin
op   = "scan"
args = ["x", "y", { N = "u32" }]
---*/
// fault: wrong values
// pattern: wrong exactly where n >= 4096
// The sum is carried from one block of 1024 to the next, but for the fourth: right up to 4096.
#include <stdint.h>


void scan(const float *x, float *y, uint32_t N)
{
    float carry = 0.0f;
    for (uint32_t n = 0; n < N; n++) {
        if (n % 4096 == 0)
            carry = 0.0f;
        y[n] = carry += x[n];
    }
}
