/*--- ktwin
op    = "pcg"
types = { x = "i32" }
args  = ["x", "y", { N = "u32" }]
---*/
// fault: wrong values
// pattern: wrong exactly where x[n] >= 2147483648
// the counter is an int, and its sign is dropped: half of all counters hash like others
#include <stdint.h>
#include <stdlib.h>

void pcg(const int32_t *x, uint32_t *y, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        uint32_t state = (uint32_t)llabs((long long)x[i]) * 747796405u + 2891336453u;
        uint32_t word = ((state >> ((state >> 28) + 4)) ^ state) * 277803737u;
        y[i] = (word >> 22) ^ word;
    }
}
