// Things that kernels do with memory: local arrays, tables of pointers, structs through calls, compare-and-swap loops,
// doubles in shuffles, copies that fill with zeros.
#include <cuda_fp16.h>
#define ENTRY extern "C" __global__ void

// The four largest of each row, by insertion into an array whose index is not constant.
ENTRY top4(const float *x, float *y, int d) {
    float best[4];
    for (int i = 0; i < 4; i++) best[i] = -1e30f;
    for (int j = 0; j < d; j++) {
        float v = x[threadIdx.x * d + j];
        int at = 4;
        while (at > 0 && best[at - 1] < v) at--;
        for (int k = 3; k > at; k--) best[k] = best[k - 1];
        if (at < 4) best[at] = v;
    }
    for (int i = 0; i < 4; i++) y[threadIdx.x * 4 + i] = best[i];
}

struct Pair { float sum; int count; };
__device__ __noinline__ Pair merge(Pair a, Pair b) { return {a.sum + b.sum, a.count + b.count}; }
ENTRY structs(const float *x, float *y, int d) {
    Pair all = {0.0f, 0};
    for (int j = 0; j < d; j++) all = merge(all, {x[threadIdx.x * d + j], j & 1});
    y[2 * threadIdx.x] = all.sum;
    y[2 * threadIdx.x + 1] = all.count;
}

// Which of two memories is read depends on the lane; pointers go through memory.
ENTRY tables(const float *x, float *y, int d) {
    __shared__ float s[64];
    __shared__ const float *at[64];
    int t = threadIdx.x;
    s[t] = -x[t];
    at[t] = t % 2 ? (const float *)s : x;
    __syncthreads();
    y[t] = at[(t + 1) % 64][t];
}

// A maximum of floats by compare and swap, sums of doubles and of halves in pairs.
ENTRY swaps(const float *x, float *y, int d) {
    int *top = (int *)y, t = threadIdx.x, old = *(volatile int *)top, seen;
    while (__int_as_float(old) < x[t]) {
        seen = old;
        old = atomicCAS(top, seen, __float_as_int(x[t]));
        if (old == seen) break;
    }
    atomicAdd((double *)(y + 2), (double)x[t]);
    atomicAdd((half2 *)(y + 4), __floats2half2_rn(1.0f, 0.5f));
    double v = x[t];
    for (int o = 16; o; o /= 2) v += __shfl_down_sync(~0u, v, o);
    if (t % 32 == 0) y[5 + t / 32] = (float)v;
}

// Tiles at the edge: copies of 16 bytes of which fewer, or none, are read.
ENTRY edges(const float *x, float *y, int d) {
    __shared__ __align__(16) float s[256];
    int t = threadIdx.x, bytes = max(0, min(16, (d - 4 * t) * 4));
    unsigned to = (unsigned)__cvta_generic_to_shared(s + 4 * t);
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;\n" ::"r"(to), "l"(x + (bytes ? 4 * t : 0)), "r"(bytes));
    asm volatile("cp.async.wait_all;\n");
    __syncthreads();
    for (int i = 0; i < 4; i++) y[t + 64 * i] = s[t + 64 * i];
}

ENTRY __launch_bounds__(64) fast(const float *x, float *y, int d) {
    float v = x[threadIdx.x];
    y[threadIdx.x] = __expf(v) / (1.0f + __expf(v)) + __tanf(v) * __powf(fabsf(v), 1.5f) + __fsqrt_rn(fabsf(v)) * __frcp_rn(v + 2.0f);
}

// Sums of single halves, on either side of a word.
ENTRY halves(const float *x, float *y, int d) {
    atomicAdd((half *)y + threadIdx.x % 3, __float2half(1.0f + threadIdx.x % 3));
}

// Rounds of a barrier in shared memory, waited for by its state and by its parity.
ENTRY arrivals(const float *x, float *y, int d) {
    __shared__ unsigned long long bar;
    __shared__ float s[64];
    int t = threadIdx.x;
    unsigned at = (unsigned)__cvta_generic_to_shared(&bar);
    if (t == 0) asm volatile("mbarrier.init.shared.b64 [%0], 64;" ::"r"(at));
    __syncthreads();
    float v = x[t];
    for (int round = 0; round < 4; round++) {
        s[t] = v;
        unsigned long long state;
        asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(at) : "memory");
        int done = 0;
        while (!done)
            asm volatile("{ .reg .pred p; mbarrier.test_wait.shared.b64 p, [%1], %2; selp.b32 %0, 1, 0, p; }"
                         : "=r"(done) : "r"(at), "l"(state) : "memory");
        v = s[(t + 1) % 64];
        asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(at) : "memory");
        asm volatile("{ .reg .pred p; WAIT: mbarrier.test_wait.parity.shared.b64 p, [%0], 1; @!p bra WAIT; }" ::"r"(at) : "memory");
    }
    y[t] = v;
}
