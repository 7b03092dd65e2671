/*--- ktwin
op      = "sum"
args    = ["x", { N = "u32" }]
returns = "y"
dims    = { N = "..=140000" }
---*/
// fault: wrong values
// pattern: every wrong element is zero
// The number of groups has sixteen bits: of more than 131070 elements it begins anew.
#include <stdint.h>

float sum(const float *x, uint32_t n)
{
    uint16_t groups = (uint16_t)((n + 1) / 2);
    float total = 0;
    for (uint32_t g = 0; g < groups; g++)
        total += x[2 * g] + (2 * g + 1 < n ? x[2 * g + 1] : 0);
    return total;
}
