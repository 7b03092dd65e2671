/*--- ktwin
op      = "scan"
compute = "f32"
args    = ["x", "y", { N = "u32" }]
---*/
// Doubling steps over the whole vector.
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void scan_hillis_steele(const float *x, float *y, uint32_t N)
{
    float *a = malloc(sizeof *a * N);
    memcpy(y, x, sizeof *y * N);
    for (size_t step = 1; step < N; step *= 2) {
        memcpy(a, y, sizeof *a * N);
        for (size_t n = step; n < N; n++)
            y[n] = a[n - step] + a[n];
    }
    free(a);
}
