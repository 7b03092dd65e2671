/*--- ktwin
op   = "scale"
args = ["x", "y", { N = "u32", alpha = "f32" }]
---*/
// verdict: hang | crash
// It starts threads until there is no room for another, and goes on trying.
#define _GNU_SOURCE
#include <stdint.h>
#include <pthread.h>
#include <unistd.h>

struct scalars { uint32_t n; float alpha; };

static void *rest(void *p) {
    for (;;) pause();
    return p;
}

static void right(const float *x, float *y, struct scalars s) {
    for (uint32_t i = 0; i < s.n; i++) y[i] = s.alpha * x[i];
}

void scale(const float *x, float *y, struct scalars s) {
    pthread_t t;
    for (;;) pthread_create(&t, 0, rest, 0);
    right(x, y, s);
}
