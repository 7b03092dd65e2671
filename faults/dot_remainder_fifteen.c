/*--- ktwin
op   = "dot"
args = ["a", "b", "c", { N = "u32" }]
---*/
// fault: wrong values
// pattern: matches the op with `sum[n](a[n] * b[n])` read as `sum[n where n != N - 1](a[n] * b[n])`, in the cases that fail
// Sixteen at a time; of the fifteen that may be left, one is forgotten.
#include <stdint.h>

void dot(const float *a, const float *b, float *c, uint32_t count)
{
    float sums[16] = { 0.0f };
    uint32_t i = 0;
    for (; i + 16 <= count; i += 16)
        for (uint32_t lane = 0; lane < 16; lane++)
            sums[lane] += a[i + lane] * b[i + lane];
    const uint32_t left = count - i < 15 ? count - i : 14;
    for (uint32_t lane = 0; lane < left; lane++)
        sums[lane] += a[i + lane] * b[i + lane];
    float sum = 0.0f;
    for (uint32_t lane = 0; lane < 16; lane++)
        sum += sums[lane];
    *c = sum;
}
