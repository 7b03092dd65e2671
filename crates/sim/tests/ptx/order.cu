// What orders accesses, and what depends on an order: kernels that must be clean, and kernels that must not.
#include <mma.h>
#define ENTRY extern "C" __global__ void

// each lane reads again, before it writes, what all lanes of the warp read before the barrier
ENTRY warp_tree(const float *x, float *y, int n) {
    __shared__ float b[32];
    const int l = threadIdx.x;
    float v = x[l];
    for (int round = 0; round < 2; ++round) {
        b[l] = v;
        __syncwarp();
        for (int o = 16; o > 0; o >>= 1) {
            if (l < o) b[l] += b[l + o];
            __syncwarp();
        }
        v = b[0] * x[l];
        __syncwarp();
    }
    y[l] = v;
}
// halves of a warp wait for themselves alone
ENTRY half_tiles(const float *x, float *y, int n) {
    __shared__ float b[32];
    const int l = threadIdx.x, first = l / 16 * 16;
    b[l] = x[l];
    __syncwarp(0xffffu << first);
    y[l] = b[first + (l + 1) % 16];
}
ENTRY half_tiles_across(const float *x, float *y, int n) {
    __shared__ float b[32];
    const int l = threadIdx.x, first = l / 16 * 16;
    b[l] = x[l];
    __syncwarp(0xffffu << first);
    y[l] = b[31 - l]; // here: half_tiles_across
}
// a number and its flag, with no fence between the two
ENTRY flag_alone(const float *x, volatile float *y, int n) {
    volatile int *flag = (volatile int *)(y + 8);
    if (blockIdx.x == 0) {
        y[0] = x[0];
        *flag = 1;
    } else {
        while (*flag != 1) {}
        y[1] = y[0]; // here: flag_alone
    }
}
ENTRY flag_fenced(const float *x, volatile float *y, int n) {
    volatile int *flag = (volatile int *)(y + 8);
    if (blockIdx.x == 0) {
        y[0] = x[0];
        __threadfence();
        *flag = 1;
    } else {
        while (*flag != 1) {}
        __threadfence();
        y[1] = y[0];
    }
}
// a number and its flag in one word
ENTRY flag_packed(const float *x, float *y, int n) {
    volatile unsigned long long *word = (volatile unsigned long long *)y;
    if (blockIdx.x == 0) {
        *word = 1ull << 32 | __float_as_uint(x[0]);
    } else {
        unsigned long long v;
        do v = *word; while (v >> 32 != 1);
        y[2] = __uint_as_float((unsigned)v);
    }
}
// sums whose order is that in which blocks come
ENTRY arrivals(const float *x, float *y, int n) {
    atomicAdd(y, x[blockIdx.x]);
}
__device__ int lock;
ENTRY arrivals_locked(const float *x, float *y, int n) {
    while (atomicCAS(&lock, 0, 1) != 0) {}
    __threadfence();
    y[0] += x[blockIdx.x];
    __threadfence();
    atomicExch(&lock, 0);
}
__device__ int calls = 5;
ENTRY count_calls(const float *x, int *y, int n) {
    y[0] = ++calls;
}
ENTRY local_array(const float *x, float *y, int n) {
    float a[16];
    for (int i = 0; i < n; ++i) a[i] = x[i];
    y[threadIdx.x] = a[(int)x[threadIdx.x] & 15]; // here: local_array
}
using namespace nvcuda;
ENTRY fragment_filled(const float *x, float *y, int n) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> b;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> c;
    wmma::fill_fragment(a, __float2half(1.f));
    wmma::fill_fragment(b, __float2half(1.f));
    wmma::fill_fragment(c, 0.f);
    for (int i = 0; i < n; ++i) wmma::mma_sync(c, a, b, c);
    wmma::store_matrix_sync(y, c, 16, wmma::mem_row_major);
}
ENTRY fragment_not_filled(const float *x, float *y, int n) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> b;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> c;
    wmma::fill_fragment(a, __float2half(1.f));
    wmma::fill_fragment(b, __float2half(1.f));
    for (int i = 0; i < n; ++i) wmma::mma_sync(c, a, b, c); // here: fragment_not_filled
    wmma::store_matrix_sync(y, c, 16, wmma::mem_row_major);
}
// a flag that tells of one number, and then of another
ENTRY flag_twice(const float *x, float *y, int n) {
    volatile int *flag = (volatile int *)(y + 8);
    if (blockIdx.x == 0) {
        y[0] = x[0];
        __threadfence();
        *flag = 1;
        y[1] = x[0];
        __threadfence();
        *flag = 2;
    } else {
        int f;
        do f = *flag; while (f == 0);
        __threadfence();
        y[2] = y[f - 1];
    }
}
// blocks that take their work from a counter: lane 0 comes to the barrier by another way, and loops wait for others
ENTRY queue(const float *x, float *y, int n) {
    __shared__ unsigned job;
    for (;;) {
        if (threadIdx.x == 0) job = atomicAdd((unsigned *)(y + 255), 1u);
        __syncthreads();
        const unsigned at = job;
        __syncthreads();
        if (at >= n) return;
        if (threadIdx.x < 32) y[at * 32 + threadIdx.x] = x[threadIdx.x];
    }
}
