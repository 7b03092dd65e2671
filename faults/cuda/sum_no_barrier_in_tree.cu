/*--- ktwin
op      = "sum"
tile    = { N = [256, 2048] }
scratch = { parts = "f32[ceil(N / 2048)]" }
chain   = [
    { entry = "parts_of", args = ["x", "parts", { N = "u32" }], grid = ["ceil(N / 2048)", 1, 1], block = 256 },
    { entry = "whole", args = ["parts", "y", { "ceil(N / 2048)" = "u32" }], grid = [1, 1, 1], block = 256 },
]
---*/
// fault: race
// pattern: none
// The last steps of the tree have no barrier, as if a warp were always in step.
__device__ float tree(float own)
{
    __shared__ float all[256];
    all[threadIdx.x] = own;
    __syncthreads();
#pragma unroll
    for (unsigned half = 128; half > 0; half >>= 1) {
        if (threadIdx.x < half)
            all[threadIdx.x] += all[threadIdx.x + half];
        if (half > 32)
            __syncthreads();
    }
    return all[0];
}

__global__ void parts_of(const float *x, float *parts, unsigned n)
{
    float own = 0;
    for (unsigned i = 0; i < 8; i++) {
        unsigned at = (blockIdx.x * 8 + i) * 256 + threadIdx.x;
        own += at < n ? x[at] : 0.0f;
    }
    float sum = tree(own);
    if (threadIdx.x == 0)
        parts[blockIdx.x] = sum;
}

__global__ void whole(const float *parts, float *y, unsigned count)
{
    float own = 0;
    for (unsigned at = threadIdx.x; at < count; at += 256)
        own += parts[at];
    float sum = tree(own);
    if (threadIdx.x == 0)
        *y = sum;
}
