/*--- ktwin
op   = "topk"
args = ["x", "y", "idx", { R = "u32", D = "u32", count = "u32" }]
ties = "any"
---*/
// fault: wrong values
// pattern: right if x holds no equal elements: ties are broken differently
// ties are free, but of equal elements all get one place
#include <stdint.h>

typedef struct {
    uint32_t R, D, count;
} sizes;

void topk(const float *x, float *y, uint32_t *idx, sizes s)
{
    for (uint32_t r = 0; r < s.R; r++) {
        const float *row = x + r * s.D;
        for (uint32_t d = 0; d < s.D; d++) {
            uint32_t rank = 0;
            for (uint32_t j = 0; j < s.D; j++)
                rank += row[j] > row[d] || (row[j] == row[d] && j > d);
            if (rank < s.count) {
                y[r * s.count + rank] = row[d];
                idx[r * s.count + rank] = d;
                for (uint32_t j = d; j-- > 0;)
                    if (row[j] == row[d])
                        idx[r * s.count + rank] = j;
            }
        }
    }
}
