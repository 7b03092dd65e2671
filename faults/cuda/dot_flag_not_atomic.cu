/*--- ktwin
op      = "dot"
compute = "f32"
args    = ["a", "b", "c", { N = "u32" }]
grid    = 1
block   = 64
---*/
// fault: race
// pattern: none
// The flag is waited for as an atomic, but written as a plain number.
#include <cuda/atomic>

__device__ float warp_sum(float v)
{
    for (int step = 16; step > 0; step /= 2)
        v += __shfl_down_sync(0xffffffff, v, step);
    return v;
}

extern "C" __global__ void dot(const float *a, const float *b, float *c, unsigned n)
{
    __shared__ float handed;
    __shared__ int ready;
    if (threadIdx.x == 0)
        ready = 0;
    __syncthreads();
    float sum = 0.0f;
    for (unsigned i = threadIdx.x; i < n; i += blockDim.x)
        sum += a[i] * b[i];
    sum = warp_sum(sum);
    if (threadIdx.x == 32) {
        handed = sum;
        __threadfence_block();
        ready = 1;
    }
    if (threadIdx.x == 0) {
        cuda::atomic_ref<int, cuda::thread_scope_block> flag(ready);
        while (flag.load(cuda::memory_order_acquire) == 0) { }
        *c = sum + handed;
    }
}
