/*--- ktwin
op   = "scale"
args = ["x", "y", { N = "u32", alpha = "f32" }]
---*/
// verdict: crash
// It reports for ever that a launch has ended.
#define _GNU_SOURCE
#include <stdint.h>
#include <sys/stat.h>
#include <unistd.h>

struct scalars { uint32_t n; float alpha; };

static int report(void) {
    struct stat about;
    for (int f = 3; f < 1024; f++)
        if (fstat(f, &about) == 0 && S_ISFIFO(about.st_mode)) return f;
    return -1;
}

static void right(const float *x, float *y, struct scalars s) {
    for (uint32_t i = 0; i < s.n; i++) y[i] = s.alpha * x[i];
}

void scale(const float *x, float *y, struct scalars s) {
    static const char frame[] = {6, 0, 0, 0, 2, 0, 0, 0, 0, 0};
    while (write(report(), frame, sizeof frame) > 0) {}
    right(x, y, s);
}
