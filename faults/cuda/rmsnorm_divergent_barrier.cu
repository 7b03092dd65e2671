/*--- ktwin
op      = "rmsnorm"
compute = "f32"
args    = ["x", "w", "y", { D = "u32" }, { eps = "f32" }]
grid    = ["R", 1, 1]
block   = [256, 1, 1]
tile    = { D = 256 }
dims    = { D = "1..=16384" }
---*/
// fault: warp operation
// pattern: any
// Lanes without an element of the row return before the shuffles that name them.
__device__ float block_sum(float v)
{
    __shared__ float warps[32];
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    for (int step = 16; step > 0; step /= 2)
        v += __shfl_xor_sync(0xffffffff, v, step);
    if (lane == 0)
        warps[warp] = v;
    __syncthreads();
    v = lane < blockDim.x / 32 ? warps[lane] : 0.0f;
    for (int step = 16; step > 0; step /= 2)
        v += __shfl_xor_sync(0xffffffff, v, step);
    return v;
}

__global__ void rmsnorm(const float *x, const float *w, float *y, unsigned width, float eps)
{
    x += (size_t)blockIdx.x * width;
    y += (size_t)blockIdx.x * width;
    float sum = 0;
    for (unsigned d = threadIdx.x; d < width; d += blockDim.x)
        sum += x[d] * x[d];
    if (threadIdx.x >= width)
        return;
    float scale = rsqrtf(block_sum(sum) / width + eps);
    for (unsigned d = threadIdx.x; d < width; d += blockDim.x)
        y[d] = x[d] * scale * w[d];
}
