/*--- ktwin
op      = "scan"
compute = "f32"
args    = ["x", "y", { N = "u32" }]
---*/
// Blocks of 64 scanned by themselves, the sum of all blocks before carried in.
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void scan_blocks(const float *x, float *y, uint32_t N)
{
    float carry = 0;
    for (uint32_t at = 0; at < N; at += 64) {
        uint32_t end = N - at < 64 ? N : at + 64;
        float sum = 0;
        for (uint32_t n = at; n < end; n++) {
            sum += x[n];
            y[n] = carry + sum;
        }
        carry += sum;
    }
}
