/*--- ktwin
op   = "philox"
args = ["counter", "key", "y", { N = "u32" }]
---*/
// fault: wrong values
// pattern: every element is wrong
// nine rounds
#include <stdint.h>

void philox(const uint32_t *counter, const uint32_t *key, uint32_t *y, uint32_t N)
{
    for (uint32_t n = 0; n < N; n++) {
        uint32_t a = counter[4 * n], b = counter[4 * n + 1], c = counter[4 * n + 2], d = counter[4 * n + 3];
        uint32_t k0 = key[0], k1 = key[1];
        for (int r = 0; r < 9; r++) {
            const uint64_t first = (uint64_t)0xd2511f53 * a, second = (uint64_t)0xcd9e8d57 * c;
            a = (uint32_t)(second >> 32) ^ b ^ k0;
            b = (uint32_t)second;
            c = (uint32_t)(first >> 32) ^ d ^ k1;
            d = (uint32_t)first;
            k0 += 0x9e3779b9;
            k1 += 0xbb67ae85;
        }
        y[4 * n] = a;
        y[4 * n + 1] = b;
        y[4 * n + 2] = c;
        y[4 * n + 3] = d;
    }
}
