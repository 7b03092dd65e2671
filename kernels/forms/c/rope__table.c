/*--- ktwin
op      = "rope"
compute = "f32"
args    = ["x", "y", { T = "u32", H = "u32", D = "u32", pos = "u32", base = "f32" }]
dims    = { D = "multiple of 2" }
---*/
// Frequencies in a table, angles and their sines in tables of a token.
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    uint32_t T;
    uint32_t H;
    uint32_t D;
    uint32_t pos;
    float base;
} scalars;

void rope_table(const float *x, float *y, scalars s)
{
    const size_t half = s.D / 2;
    float *table = malloc(3 * sizeof(float) * half), *cs = table + half, *sn = cs + half;
    for (size_t i = 0; i < half; i++)
        table[i] = 1.0f / powf(s.base, (float)(2 * i) / (float)s.D);
    for (size_t t = 0; t < s.T; t++) {
        for (size_t i = 0; i < half; i++) {
            cs[i] = cosf((float)(s.pos + t) * table[i]);
            sn[i] = sinf((float)(s.pos + t) * table[i]);
        }
        for (size_t h = 0; h < s.H; h++)
            for (size_t i = 0; i < half; i++) {
                size_t at = (t * s.H + h) * s.D + 2 * i;
                y[at] = x[at] * cs[i] - x[at + 1] * sn[i];
                y[at + 1] = x[at + 1] * cs[i] + x[at] * sn[i];
            }
    }
    free(table);
}
