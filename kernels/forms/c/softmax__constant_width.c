/*--- ktwin
op     = "softmax"
args   = ["x", "y", { R = "i32" }]
define = { WIDTH = "D" }
dims   = { D = "8..=40" }
---*/
#include <math.h>
// The width of a row is a constant, as where a network fixes it.
void softmax(const float *x, float *y, int rows)
{
    for (int r = 0; r < rows; r++, x += WIDTH, y += WIDTH) {
        float most = x[0], sum = 0;
        for (int i = 1; i < WIDTH; i++)
            most = fmaxf(most, x[i]);
        for (int i = 0; i < WIDTH; i++)
            sum += y[i] = expf(x[i] - most);
        for (int i = 0; i < WIDTH; i++)
            y[i] /= sum;
    }
}
