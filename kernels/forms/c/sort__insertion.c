/*--- ktwin
op      = "sort"
compute = "f32"
args    = ["x", "y", { N = "u32" }]
---*/
// Insertion sort.
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void sort_insertion(const float *x, float *y, uint32_t N)
{
    for (uint32_t n = 0; n < N; n++) {
        float v = x[n];
        uint32_t at = n;
        for (; at > 0 && y[at - 1] > v; at--)
            y[at] = y[at - 1];
        y[at] = v;
    }
}
