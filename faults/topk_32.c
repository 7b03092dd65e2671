/*--- ktwin
op   = "topk"
args = ["x", "y", "idx", { R = "u32", D = "u32", count = "u32" }]
---*/
// fault: wrong values
// pattern: fails exactly when count >= 33 (it passes at 32)
// The list of the best has 32 places; later ones hold the last of them again.
#include <stdint.h>

typedef struct {
    uint32_t R, D, count;
} sizes;

void topk(const float *x, float *y, uint32_t *idx, sizes s)
{
    for (uint32_t r = 0; r < s.R; r++, x += s.D) {
        float best[33];
        uint32_t place[33];
        uint32_t held = 0, most = s.count < 32 ? s.count : 32;
        for (uint32_t d = 0; d < s.D; d++) {
            uint32_t at = held;
            while (at > 0 && x[d] > best[at - 1]) {
                best[at] = best[at - 1];
                place[at] = place[at - 1];
                at--;
            }
            best[at] = x[d];
            place[at] = d;
            held = held < most ? held + 1 : most;
        }
        for (uint32_t k = 0; k < s.count; k++) {
            uint32_t from = k < held ? k : held - 1;
            y[r * s.count + k] = best[from];
            idx[r * s.count + k] = place[from];
        }
    }
}
