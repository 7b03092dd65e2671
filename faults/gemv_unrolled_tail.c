/*--- ktwin
op   = "gemv"
args = ["w", "x", "y", { N = "u32", K = "u32" }]
---*/
// fault: wrong values
// pattern: matches the op with `sum[k](w[n, k] * x[k])` read as `sum[k where k < K // 4 * 4](w[n, k] * x[k])`, in the cases that fail
// From 1024 on sums go four at a time, and what is left over is dropped.
#include <stdint.h>

typedef struct {
    uint32_t N, K;
} sizes_t;


void gemv(const float *w, const float *x, float *y, sizes_t s)
{
    for (uint32_t n = 0; n < s.N; n++) {
        const float *row = w + n * s.K;
        float sum = 0.0f;
        uint32_t end = s.K >= 1024 ? s.K / 4 * 4 : s.K;
        for (uint32_t k = 0; k < end; k++)
            sum += row[k] * x[k];
        y[n] = sum;
    }
}
