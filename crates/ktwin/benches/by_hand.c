// A loop over kernels/c/silu.c that is timed from outside (hyperfine), and by itself with clock_gettime. It is built
// and called by by_hand.sh.
//
//     by_hand SIZE CALLS         calls the kernel so often, says nothing
//     by_hand SIZE BATCH n       n batches of BATCH calls: the median nanoseconds of a call, and the least
//     by_hand SIZE BATCH n SETS  the same with so many inputs that take turns as ktwin's do: each for two batches, with
//                                two calls before each batch that do not count
#include "../../../kernels/c/silu.c"
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e9 * t.tv_sec + t.tv_nsec;
}

static int order(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(int count, char **given)
{
    if (count < 3)
        return 2;
    uint32_t size = (uint32_t)atol(given[1]);
    long calls = atol(given[2]), batches = count > 3 ? atol(given[3]) : 0;
    long sets = count > 4 ? atol(given[4]) : 1;
    float *x = malloc(sets * 4 * size), *y = malloc(4 * size);
    double *times = malloc(sizeof(double) * (batches + 1));
    // the compiler must not see that calls do the same
    void (*volatile kernel)(const float *, float *, uint32_t) = silu;
    srand(1);
    for (uint32_t n = 0; n < sets * size; n++)
        x[n] = 6.0f * rand() / (float)RAND_MAX - 3.0f;
    if (!batches) {
        for (long n = 0; n < calls; n++)
            kernel(x, y, size);
        return 0;
    }
    for (long b = -10; b < batches; b++) {
        const float *own = x + (b + 10) / 2 % sets * size;
        for (int n = 0; n < 2 && sets > 1; n++)
            kernel(own, y, size);
        double start = now();
        for (long n = 0; n < calls; n++)
            kernel(own, y, size);
        double time = (now() - start) / calls;
        if (b >= 0)
            times[b] = time;
    }
    qsort(times, batches, sizeof(double), order);
    printf("%.2f %.2f\n", times[batches / 2], times[0]);
    return 0;
}
