/*--- ktwin
op   = "topk"
args = ["x", "y", "idx", { R = "u32", D = "u32", count = "u32" }]
ties = "any"
nan  = "never"
---*/
// fault: wrong values
// pattern: y: wrong exactly where k >= 2
// Each of 32 lanes holds the two best of its columns. When both are taken it looks for the next ones, all less than the
// last: a third element that equals it is lost.
#include <math.h>
#include <stdint.h>

#define LANES 32

typedef struct {
    uint32_t R, D, count;
} sizes;

typedef struct {
    float value[2];
    uint32_t at[2];
} best;

static best of_lane(const float *row, uint32_t lane, uint32_t D, float below)
{
    best two = {{-INFINITY, -INFINITY}, {D, D}};
    for (uint32_t d = lane; d < D; d += LANES) {
        if (!(row[d] < below))
            continue;
        if (two.at[0] == D || row[d] > two.value[0]) {
            two.value[1] = two.value[0], two.at[1] = two.at[0];
            two.value[0] = row[d], two.at[0] = d;
        } else if (two.at[1] == D || row[d] > two.value[1]) {
            two.value[1] = row[d], two.at[1] = d;
        }
    }
    return two;
}

void topk(const float *x, float *y, uint32_t *idx, sizes s)
{
    for (uint32_t r = 0; r < s.R; r++) {
        const float *row = x + r * s.D;
        best lanes[LANES];
        for (uint32_t lane = 0; lane < LANES; lane++)
            lanes[lane] = of_lane(row, lane, s.D, INFINITY);
        for (uint32_t k = 0; k < s.count; k++) {
            uint32_t first = 0;
            for (uint32_t lane = 1; lane < LANES; lane++) {
                best *one = &lanes[lane], *other = &lanes[first];
                if (one->at[0] < s.D && (other->at[0] == s.D || one->value[0] > other->value[0]))
                    first = lane;
            }
            best *one = &lanes[first];
            float last = one->value[0];
            y[r * s.count + k] = last;
            idx[r * s.count + k] = one->at[0];
            one->value[0] = one->value[1], one->at[0] = one->at[1], one->at[1] = s.D;
            if (one->at[0] == s.D)
                *one = of_lane(row, first, s.D, last);
        }
    }
}
