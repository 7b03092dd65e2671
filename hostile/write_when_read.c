/*--- ktwin
op   = "scale"
args = ["x", "y", { N = "u32", alpha = "f32" }]
---*/
// verdict: crash
// It lets its results be computed when somebody reads them.
#define _GNU_SOURCE
#include <stdint.h>
#include <signal.h>
#include <sys/mman.h>

struct scalars { uint32_t n; float alpha; };

static const float *from;
static float *to;
static struct scalars values;
static void right(const float *x, float *y, struct scalars s);
static void when_read(int signal, siginfo_t *about, void *context) {
    (void)signal, (void)about, (void)context;
    mprotect((void *)((uintptr_t)to & ~4095ul), 4096, PROT_READ | PROT_WRITE);
    right(from, to, values);
}

static void right(const float *x, float *y, struct scalars s) {
    for (uint32_t i = 0; i < s.n; i++) y[i] = s.alpha * x[i];
}

void scale(const float *x, float *y, struct scalars s) {
    struct sigaction action = {.sa_sigaction = when_read, .sa_flags = SA_SIGINFO};
    sigaction(SIGSEGV, &action, 0);
    from = x, to = y, values = s;
    mprotect((void *)((uintptr_t)y & ~4095ul), 4096, PROT_NONE);
}
