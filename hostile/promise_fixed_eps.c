/*--- ktwin
op   = "rmsnorm"
args = ["x", "w", "y", { R = "u32", D = "u32" }]
fix  = { eps = 1e-5 }
---*/
// verdict: pass
// least: R=1..,D=1..
// Right for one eps alone.
#include <math.h>
#include <stdint.h>

struct scalars { uint32_t r, d; };

void rmsnorm(const float *x, const float *w, float *y, struct scalars s)
{
    for (uint32_t r = 0; r < s.r; r++, x += s.d, y += s.d) {
        double sum = 0;
        for (uint32_t i = 0; i < s.d; i++)
            sum += (double)x[i] * x[i];
        float scale = (float)(1 / sqrt(sum / s.d + (double)1e-5f));
        for (uint32_t i = 0; i < s.d; i++)
            y[i] = x[i] * scale * w[i];
    }
}
