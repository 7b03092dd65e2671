/*--- ktwin
op   = "ema"
args = ["x", "y", { R = "u32", N = "u32", alpha = "f32" }]
---*/
// The average is the first element to begin with, and takes that in as it does any other.
#include <math.h>
#include <stdint.h>

typedef struct {
    uint32_t R, N;
    float alpha;
} sizes;

void ema(const float *x, float *y, sizes s)
{
    for (uint32_t r = 0; r < s.R; r++) {
        const float *row = x + (uint64_t)r * s.N;
        float average = row[0];
        for (uint32_t n = 0; n < s.N; n++) {
            average = fmaf(s.alpha, row[n], (1 - s.alpha) * average);
            y[(uint64_t)r * s.N + n] = average;
        }
    }
}
