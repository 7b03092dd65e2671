/*--- ktwin
op   = "topk"
args = ["x", "y", "idx", { R = "u32", D = "u32", count = "u32" }]
---*/
// fault: wrong values
// pattern: matches the op with `x[r, j] == x[r, d] and j < d` read as `x[r, j] == x[r, d] and j > d`
// Of equal numbers the last comes first.
#include <stdint.h>

typedef struct {
    uint32_t R, D, count;
} sizes_t;


void topk(const float *x, float *y, uint32_t *idx, sizes_t s)
{
    for (uint32_t r = 0; r < s.R; r++)
        for (uint32_t d = 0; d < s.D; d++) {
            const float *row = x + r * s.D;
            uint32_t rank = 0;
            for (uint32_t j = 0; j < s.D; j++)
                rank += row[j] > row[d] || (row[j] == row[d] && j > d);
            if (rank < s.count) {
                y[r * s.count + rank] = row[d];
                idx[r * s.count + rank] = d;
            }
        }
}
