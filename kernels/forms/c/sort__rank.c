/*--- ktwin
op      = "sort"
compute = "f32"
args    = ["x", "y", { N = "u32" }]
---*/
// The rank of each element counted.
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void sort_rank(const float *x, float *y, uint32_t N)
{
    for (uint32_t n = 0; n < N; n++) {
        uint32_t rank = 0;
        for (uint32_t m = 0; m < N; m++)
            rank += x[m] < x[n] || (x[m] == x[n] && m < n);
        y[rank] = x[n];
    }
}
