/*--- ktwin
op   = "scale"
args = ["x", "y", { N = "u32", alpha = "f32" }]
---*/
// verdict: pass
// No memory can be shared without a file: given back, it would stay, and be counted nowhere.
#define _GNU_SOURCE
#include <stdint.h>
#include <fcntl.h>
#include <sys/mman.h>

struct scalars { uint32_t n; float alpha; };

static void right(const float *x, float *y, struct scalars s) {
    for (uint32_t i = 0; i < s.n; i++) y[i] = s.alpha * x[i];
}

static int hides(int flags, int file) {
    return mmap(0, 1 << 20, PROT_READ, flags, file, 0) != MAP_FAILED;
}

void scale(const float *x, float *y, struct scalars s) {
    int zero = open("/dev/zero", O_RDONLY);
    if (zero >= 0 && hides(MAP_SHARED, zero)) return;
    if (hides(MAP_SHARED | MAP_ANONYMOUS, -1) || hides(MAP_SHARED_VALIDATE | MAP_ANONYMOUS, -1)) return;
    right(x, y, s);
}
