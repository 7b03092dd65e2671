/*--- ktwin
op            = "sum"
tile          = { N = 1024 }
scratch       = { parts = "f32[ceil(N / 1024)]", done = "u32[1]" }
chain         = [
    { entry = "clear", args = ["done"], grid = 1, block = 1 },
    { entry = "sum", args = ["x", "parts", "done", "y", { N = "u32" }], grid = ["ceil(N / 1024)", 1, 1], block = 256 },
]
---*/
// fault: race
// pattern: fails exactly when several workgroups run (N >= 1025)
// Each block adds up what is there, without asking whether it is the last.
__device__ float warp_sum(float v)
{
    for (int step = 16; step > 0; step /= 2)
        v += __shfl_down_sync(0xffffffff, v, step);
    return v;
}

__device__ float block_sum(float v)
{
    __shared__ float warps[8];
    v = warp_sum(v);
    __syncthreads();
    if (threadIdx.x % 32 == 0)
        warps[threadIdx.x / 32] = v;
    __syncthreads();
    v = threadIdx.x < 8 ? warps[threadIdx.x] : 0.0f;
    return threadIdx.x < 32 ? warp_sum(v) : 0.0f;
}

__global__ void clear(unsigned *done) { *done = 0; }

__global__ void sum(const float *x, float *parts, unsigned *done, float *y, unsigned n)
{
    __shared__ bool last;
    float own = 0;
    for (unsigned i = 0; i < 4; i++) {
        unsigned at = (blockIdx.x * 4 + i) * 256 + threadIdx.x;
        own += at < n ? x[at] : 0.0f;
    }
    float all = block_sum(own);
    if (threadIdx.x == 0) {
        parts[blockIdx.x] = all;
        __threadfence();
        last = blockIdx.x == gridDim.x - 1;
    }
    __syncthreads();
    if (!last)
        return;
    __threadfence();
    own = 0;
    for (unsigned i = threadIdx.x; i < gridDim.x; i += 256)
        own += parts[i];
    all = block_sum(own);
    if (threadIdx.x == 0)
        *y = all;
}
