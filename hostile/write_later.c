/*--- ktwin
op   = "scale"
args = ["x", "y", { N = "u32", alpha = "f32" }]
---*/
// verdict: fail
// A thread of it writes the results when it has returned.
#define _GNU_SOURCE
#include <stdint.h>
#include <pthread.h>
#include <unistd.h>

struct scalars { uint32_t n; float alpha; };

static const float *from;
static float *to;
static struct scalars values;
static void right(const float *x, float *y, struct scalars s);
static void *later(void *p) {
    usleep(500000);
    right(from, to, values);
    return p;
}

static void right(const float *x, float *y, struct scalars s) {
    for (uint32_t i = 0; i < s.n; i++) y[i] = s.alpha * x[i];
}

void scale(const float *x, float *y, struct scalars s) {
    from = x, to = y, values = s;
    pthread_t t;
    pthread_create(&t, 0, later, 0);
}
