/*--- ktwin
op      = "quantise"
types   = { y = "q8_1" }
compute = "f32"
args    = ["x", "y", { R = "u32", K = "u32" }]
dims    = { K = "multiple of 32" }
---*/
// fault: wrong values
// pattern: none
// The sum of a block takes in its first 16 codes only.
// As ggml's quantize_row_q8_1_ref: beside the scale the sum of the codes times the scale.
#include <math.h>
#include <stddef.h>
#include <stdint.h>

typedef struct { uint32_t R, K; } scalars;
typedef struct { _Float16 d, s; int8_t qs[32]; } block;

void quantise_q8_1(const float *x, block *y, scalars s)
{
    for (size_t i = 0, n = (size_t)s.R * s.K / 32; i < n; i++, x += 32) {
        float amax = 0;
        for (int j = 0; j < 32; j++)
            amax = fmaxf(amax, fabsf(x[j]));
        const float d = amax / 127, id = d ? 1.0f / d : 0.0f;
        int sum = 0;
        for (int j = 0; j < 32; j++)
            { y[i].qs[j] = (int8_t)roundf(x[j] * id); if (j < 16) sum += y[i].qs[j]; }
        y[i].d = (_Float16)d;
        y[i].s = (_Float16)(sum * d);
    }
}
