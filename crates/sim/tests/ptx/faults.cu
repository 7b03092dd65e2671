// One mistake in each entry point; the line that the finding must name ends in `// here: NAME`. Entry points whose names
// end in `_fixed` are the same without the mistake.
#define ENTRY extern "C" __global__ void
extern "C" __device__ void __assertfail(const char *, const char *, unsigned, const char *, size_t);
#define assert(e) do { if (!(e)) __assertfail(#e, "", 0, "", 1); } while (0)

ENTRY race(const float *x, float *y, int n) {
    __shared__ float s[64];
    s[threadIdx.x] = x[threadIdx.x];
    y[threadIdx.x] = s[63 - threadIdx.x]; // here: race
}
ENTRY race_fixed(const float *x, float *y, int n) {
    __shared__ float s[64];
    s[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    y[threadIdx.x] = s[63 - threadIdx.x];
}
ENTRY off_by_one(const float *x, float *y, int n) {
    int i = threadIdx.x;
    if (i < n) y[i] = x[i + 1]; // here: off_by_one
}
ENTRY before_start(const float *x, float *y, int n) {
    int i = threadIdx.x;
    if (i < n) y[i] = x[i - 1]; // here: before_start
}
__device__ void put(float *y, int i, float v) {
    y[i] = v; // here: inlined
}
ENTRY inlined(const float *x, float *y, int n) {
    put(y, threadIdx.x + 1, x[threadIdx.x]);
}
ENTRY shared_end(const float *x, float *y, int n) {
    __shared__ float a[32], b[64];
    b[threadIdx.x] = x[threadIdx.x];
    a[threadIdx.x] = 1.0f; // here: shared_end
    __syncthreads();
    y[threadIdx.x] = b[63 - threadIdx.x] + a[threadIdx.x % 32];
}
ENTRY unwritten(const float *x, float *y, int n) {
    __shared__ float s[64];
    if (threadIdx.x < 32) s[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    y[threadIdx.x] = s[threadIdx.x]; // here: unwritten
}
ENTRY branch_barrier(const float *x, float *y, int n) {
    __shared__ float s[64];
    if (threadIdx.x < 40) {
        s[threadIdx.x] = x[threadIdx.x];
        __syncthreads(); // here: branch_barrier
        y[threadIdx.x] = s[(threadIdx.x + 1) % 40];
    }
}
ENTRY left_lanes(const float *x, float *y, int n) {
    if (threadIdx.x % 32 >= 24) return;
    float v = x[threadIdx.x];
    v += __shfl_xor_sync(0xffffffffu, v, 8); // here: left_lanes
    y[threadIdx.x] = v;
}
ENTRY left_lanes_fixed(const float *x, float *y, int n) {
    if (threadIdx.x % 32 >= 24) return;
    float v = x[threadIdx.x];
    v += __shfl_xor_sync(0x00ffffffu, v, 1);
    y[threadIdx.x] = v;
}
ENTRY endless(const float *x, float *y, int n) {
    int i = threadIdx.x;
    float v = x[i];
    while (i < n) { // here: endless
        v = v * 0.5f + 1.0f;
        if (v > 100.0f) i++;
    }
    y[threadIdx.x] = v;
}
ENTRY askew(const float *x, float *y, int n) {
    float4 v = *(const float4 *)(x + threadIdx.x % 8); // here: askew
    y[threadIdx.x] = v.x + v.w;
}
ENTRY no_wait(const float *x, float *y, int n) {
    __shared__ float s[64];
    unsigned to = (unsigned)__cvta_generic_to_shared(s + threadIdx.x);
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;\n" ::"r"(to), "l"(x + threadIdx.x));
    asm volatile("cp.async.commit_group;\n");
    __syncthreads();
    y[threadIdx.x] = s[63 - threadIdx.x]; // here: no_wait
}
ENTRY no_wait_fixed(const float *x, float *y, int n) {
    __shared__ float s[64];
    unsigned to = (unsigned)__cvta_generic_to_shared(s + threadIdx.x);
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;\n" ::"r"(to), "l"(x + threadIdx.x));
    asm volatile("cp.async.commit_group;\n");
    asm volatile("cp.async.wait_group 0;\n");
    __syncthreads();
    y[threadIdx.x] = s[63 - threadIdx.x];
}
ENTRY warp_race(const float *x, float *y, int n) {
    __shared__ float s[64];
    int base = threadIdx.x / 32 * 32, lane = threadIdx.x % 32;
    s[threadIdx.x] = x[threadIdx.x];
    y[threadIdx.x] = s[base + 31 - lane]; // here: warp_race
}
ENTRY warp_race_fixed(const float *x, float *y, int n) {
    __shared__ float s[64];
    int base = threadIdx.x / 32 * 32, lane = threadIdx.x % 32;
    s[threadIdx.x] = x[threadIdx.x];
    __syncwarp();
    float v = s[base + 31 - lane];
    __syncwarp();
    s[threadIdx.x] = v;
    __syncwarp();
    y[threadIdx.x] = s[base + (lane + 1) % 32];
}
ENTRY warp_race_across(const float *x, float *y, int n) {
    __shared__ float s[64];
    s[threadIdx.x] = x[threadIdx.x];
    __syncwarp();
    y[threadIdx.x] = s[63 - threadIdx.x]; // here: warp_race_across
}
ENTRY asserts(const float *x, float *y, int n) {
    assert(threadIdx.x < 60); // here: asserts
    y[threadIdx.x] = x[threadIdx.x];
}
ENTRY same_place(const float *x, float *y, int n) {
    y[threadIdx.x / 2] = x[threadIdx.x]; // here: same_place
}
ENTRY no_fence(const float *x, float *y, int n) {
    volatile int *flag = (volatile int *)(y + 8);
    if (threadIdx.x != 0) return;
    if (blockIdx.x == 0) {
        y[0] = x[0];
        *flag = 1;
    } else {
        while (*flag != 1) {}
        __threadfence();
        y[1] = y[0]; // here: no_fence
    }
}
ENTRY no_fence_fixed(const float *x, float *y, int n) {
    volatile int *flag = (volatile int *)(y + 8);
    if (threadIdx.x != 0) return;
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
ENTRY by_zero(const float *x, float *y, int n) {
    y[threadIdx.x] = threadIdx.x / (n - 64); // here: by_zero
}
