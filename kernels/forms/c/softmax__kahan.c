/*--- ktwin
op      = "softmax"
compute = "f32"
args    = ["x", "y", { R = "u32", D = "u32" }]
---*/
// The sum of exponentials compensated.
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    uint32_t R;
    uint32_t D;
} scalars;

void softmax_kahan(const float *x, float *y, scalars s)
{
    for (size_t r = 0; r < s.R; r++) {
        const float *row = x + r * s.D;
        float top = -INFINITY;
        for (size_t d = 0; d < s.D; d++)
            top = row[d] > top ? row[d] : top;
        float sum = 0, lost = 0;
        for (size_t d = 0; d < s.D; d++) {
            float e = expf(row[d] - top);
            y[r * s.D + d] = e;
            float term = e - lost;
            float next = sum + term;
            lost = (next - sum) - term;
            sum = next;
        }
        for (size_t d = 0; d < s.D; d++)
            y[r * s.D + d] /= sum;
    }
}
