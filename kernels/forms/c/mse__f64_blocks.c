/*--- ktwin
op      = "mse"
types   = { a = "f64", b = "f64", loss = "f64" }
compute = "f64"
args    = ["a", "b", "loss", { N = "u32" }]
---*/
// In double, blocks of 128 summed by themselves.
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void mse_f64_blocks(const double *a, const double *b, double *loss, uint32_t N)
{
    double total = 0;
    for (uint32_t at = 0; at < N; at += 128) {
        double part = 0;
        for (uint32_t n = at; n < N && n - at < 128; n++)
            part += (a[n] - b[n]) * (a[n] - b[n]);
        total += part;
    }
    loss[0] = total / N;
}
