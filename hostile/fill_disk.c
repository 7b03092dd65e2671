/*--- ktwin
op   = "scale"
args = ["x", "y", { N = "u32", alpha = "f32" }]
---*/
// verdict: pass
// No file can be made.
#define _GNU_SOURCE
#include <stdint.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

struct scalars { uint32_t n; float alpha; };

static void right(const float *x, float *y, struct scalars s) {
    for (uint32_t i = 0; i < s.n; i++) y[i] = s.alpha * x[i];
}

void scale(const float *x, float *y, struct scalars s) {
    static char zeros[1 << 16];
    char name[64];
    for (int i = 0; i < 16; i++) {
        snprintf(name, sizeof name, "/tmp/ktwin-fill-%d-%d", (int)getpid(), i);
        int f = open(name, O_WRONLY | O_CREAT, 0600);
        while (f >= 0 && write(f, zeros, sizeof zeros) > 0) {}
    }
    right(x, y, s);
}
