/*--- ktwin
op      = "softmax"
compute = "f32"
args    = ["x", "y", { R = "u32" }]
fix     = { D = 64 }
---*/
// Rows of 64, the one width that it is for, kept in an array.
#include <math.h>
#include <stddef.h>
#include <stdint.h>

#define WIDTH 64

void softmax(const float *x, float *y, uint32_t rows)
{
    for (size_t r = 0; r < rows; r++) {
        float row[WIDTH], most = x[r * WIDTH], sum = 0;
        for (size_t d = 1; d < WIDTH; d++)
            most = fmaxf(most, x[r * WIDTH + d]);
        for (size_t d = 0; d < WIDTH; d++)
            sum += row[d] = expf(x[r * WIDTH + d] - most);
        for (size_t d = 0; d < WIDTH; d++)
            y[r * WIDTH + d] = row[d] / sum;
    }
}
