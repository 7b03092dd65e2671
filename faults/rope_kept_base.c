/*--- ktwin
op   = "rope"
args = ["x", "y", { T = "i32" }, { H = "i32" }, { D = "i32" }, { pos = "i32" }, { base = "f32" }]
---*/
// fault: wrong values
// pattern: this case passes alone
// The logarithm of the first base is kept for all others.
#include <math.h>

void rope(const float *x, float *y, int T, int H, int D, int pos, float base) {
    static double known;
    if (known == 0) {
        known = log(base);
    }
    for (int t = 0; t < T; t++) {
        for (int h = 0; h < H; h++) {
            const float *from = x + ((long)t * H + h) * D;
            float *to = y + ((long)t * H + h) * D;
            for (int i = 0; i < D / 2; i++) {
                double angle = (pos + t) * exp(-2.0 * i / D * known);
                float c = (float)cos(angle), s = (float)sin(angle);
                to[2 * i] = from[2 * i] * c - from[2 * i + 1] * s;
                to[2 * i + 1] = from[2 * i + 1] * c + from[2 * i] * s;
            }
        }
    }
}
