/*--- ktwin
op      = "dot"
compute = "f32"
args    = ["a", "b", "c", { N = "u32" }]
grid    = 1
block   = 96
---*/
// fault: race
// pattern: none
// The sum that goes through the flag is not fenced off from it.
__device__ float warp_sum(float v)
{
    for (int step = 16; step > 0; step /= 2)
        v += __shfl_down_sync(0xffffffff, v, step);
    return v;
}

extern "C" __global__ void dot(const float *a, const float *b, float *c, unsigned n)
{
    __shared__ float total;
    __shared__ float handed;
    __shared__ int ready, taken, done;
    if (threadIdx.x == 0) {
        total = 0.0f;
        ready = taken = done = 0;
    }
    __syncthreads();
    float sum = 0.0f;
    for (unsigned i = threadIdx.x; i < n; i += blockDim.x)
        sum += a[i] * b[i];
    sum = warp_sum(sum);
    unsigned warp = threadIdx.x / 32;
    if (threadIdx.x % 32 != 0)
        return;
    if (warp == 1) {
        handed = sum;
        atomicExch(&ready, 1);
    }
    if (warp != 1) {
        while (atomicCAS(&taken, 0, 1) != 0) { }
        __threadfence_block();
        total += sum;
        __threadfence_block();
        atomicExch(&taken, 0);
        atomicAdd(&done, 1);
    }
    if (warp == 0) {
        while (atomicAdd(&ready, 0) == 0) { }
        while (atomicAdd(&done, 0) < 2) { }
        __threadfence_block();
        *c = total + handed;
    }
}
