/*--- ktwin
op      = "sort"
compute = "f32"
args    = ["x", "y", { N = "u32" }]
---*/
// Bottom-up merge sort.
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void sort_merge(const float *x, float *y, uint32_t N)
{
    float *from = malloc(sizeof *from * N), *to = malloc(sizeof *to * N);
    memcpy(from, x, sizeof *from * N);
    for (size_t run = 1; run < N; run *= 2) {
        for (size_t lo = 0; lo < N; lo += 2 * run) {
            size_t mid = lo + run < N ? lo + run : N, hi = lo + 2 * run < N ? lo + 2 * run : N;
            size_t i = lo, j = mid;
            for (size_t k = lo; k < hi; k++)
                to[k] = j >= hi || (i < mid && from[i] <= from[j]) ? from[i++] : from[j++];
        }
        float *t = from;
        from = to;
        to = t;
    }
    memcpy(y, from, sizeof *y * N);
    free(from);
    free(to);
}
