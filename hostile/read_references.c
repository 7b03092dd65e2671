/*--- ktwin
op   = "scale"
args = ["x", "y", { N = "u32", alpha = "f32" }]
---*/
// verdict: pass
// Files that are not the system's cannot be read.
#define _GNU_SOURCE
#include <stdint.h>
#include <fcntl.h>
#include <unistd.h>

struct scalars { uint32_t n; float alpha; };

static void right(const float *x, float *y, struct scalars s) {
    for (uint32_t i = 0; i < s.n; i++) y[i] = s.alpha * x[i];
}

void scale(const float *x, float *y, struct scalars s) {
    const char *names[] = {"/etc/passwd", "/tmp", "/root", "/home", "hostile", "."};
    for (int i = 0; i < 6; i++)
        if (open(names[i], O_RDONLY) >= 0) return;
    right(x, y, s);
}
