/*--- ktwin
op      = "gelu_backward"
compute = "f32"
args    = ["x", "dy", "dx", { N = "u32" }]
---*/
// fault: wrong values
// pattern: matches the op with `… * (1 + th[n]) + 0.5 * x[n] * (1 - th[n]^2) * …` read as `… * (1 + th[n]) - 0.5 * x[n] * (1 - th[n]^2) * …`
// the sign of the second term
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

void gelu_backward_kernel(const float *x, const float *dy, float *dx, uint32_t N)
{
    const float k = 0.79788456f;
    for (uint32_t n = 0; n < N; n++) {
        float v = x[n], th = tanhf(k * (v + 0.044715f * v * v * v));
        float inner = k * (1 + 0.134145f * v * v);
        dx[n] = dy[n] * (0.5f * (1 + th) - 0.5f * v * (1 - th * th) * inner);
    }
}
