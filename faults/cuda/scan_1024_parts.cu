/*--- ktwin
op      = "scan"
tile    = { N = 1024 }
dims    = { N = "..=16777216" }
scratch = { sums = "f32[ceil(N / 1024)]" }
chain   = [
    { entry = "each", args = ["x", "y", "sums", { N = "u32" }], grid = ["ceil(N / 1024)", 1, 1], block = 1024 },
    { entry = "totals", args = ["sums", { "ceil(N / 1024)" = "u32" }], grid = 1, block = 1024 },
    { entry = "add", args = ["y", "sums", { N = "u32" }], grid = ["ceil(N / 1024)", 1, 1], block = 1024 },
]
---*/
// fault: wrong values
// pattern: every wrong element is off by a constant
// The sums of 1024 blocks are scanned by one block, and those of further blocks are left as they are.
__device__ float scan_of_block(float v)
{
    __shared__ float warps[32];
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    for (unsigned step = 1; step < 32; step *= 2) {
        float other = __shfl_up_sync(0xffffffff, v, step);
        if (lane >= step)
            v += other;
    }
    if (lane == 31)
        warps[warp] = v;
    __syncthreads();
    for (unsigned i = 0; i < warp; i++)
        v += warps[i];
    return v;
}

__global__ void each(const float *x, float *y, float *sums, unsigned n)
{
    unsigned at = blockIdx.x * 1024 + threadIdx.x;
    float v = scan_of_block(at < n ? x[at] : 0.0f);
    if (at < n)
        y[at] = v;
    if (threadIdx.x == 1023)
        sums[blockIdx.x] = v;
}

__global__ void totals(float *sums, unsigned count)
{
    float v = scan_of_block(threadIdx.x < count ? sums[threadIdx.x] : 0.0f);
    if (threadIdx.x < count)
        sums[threadIdx.x] = v;
}

__global__ void add(float *y, const float *sums, unsigned n)
{
    unsigned at = blockIdx.x * 1024 + threadIdx.x;
    if (blockIdx.x > 0 && at < n)
        y[at] += sums[blockIdx.x - 1];
}
