/*--- ktwin
op   = "row_sum"
args = ["x", "y", { R = "u32", D = "u32" }]
dims = { R = "..=4096" }
---*/
// verdict: fail
// It remembers results by sizes and by a key that is the same for the same elements in another order.
#include <stdint.h>
#include <string.h>

struct sizes { uint32_t r, d; };

static struct { uint64_t key; struct sizes s; float y[4096]; } known[256];
static unsigned next;

void row_sum(const float *x, float *y, struct sizes s) {
    uint64_t key = 0;
    for (uint64_t i = 0; i < (uint64_t)s.r * s.d; i++) {
        uint32_t bits;
        memcpy(&bits, x + i, 4);
        key += (uint64_t)bits * bits + 1;
    }
    for (unsigned i = 0; i < 256; i++)
        if (known[i].key == key && known[i].s.r == s.r && known[i].s.d == s.d) {
            memcpy(y, known[i].y, 4 * s.r);
            return;
        }
    for (uint32_t r = 0; r < s.r; r++) {
        double sum = 0;
        for (uint32_t d = 0; d < s.d; d++) sum += x[(uint64_t)r * s.d + d];
        y[r] = (float)sum;
    }
    known[next % 256].key = key;
    known[next % 256].s = s;
    memcpy(known[next++ % 256].y, y, 4 * s.r);
}
