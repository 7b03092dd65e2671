/*--- ktwin
op            = "scan"
tile          = { N = 256 }
scratch       = { flags = "u32[ceil(N / 256) + 1]", parts = "f32[ceil(N / 256)]", whole = "f32[ceil(N / 256)]" }
deterministic = false
chain         = [
    { entry = "clear", args = ["flags", { "ceil(N / 256) + 1" = "u32" }], grid = ["ceil((N + 256) / 256 / 64) + 1", 1, 1], block = 64 },
    { entry = "scan", args = ["x", "y", "flags", "parts", "whole", { N = "u32" }], grid = ["ceil(N / 256)", 1, 1], block = 256 },
]
---*/
// fault: race
// pattern: fails exactly when N >= 257
// The sum of a block alone is not fenced off from the flag that says it is there; the sum up to it is.
__global__ void clear(unsigned *flags, unsigned count)
{
    unsigned i = blockIdx.x * 64 + threadIdx.x;
    if (i < count)
        flags[i] = 0;
}

__device__ float look_back(unsigned tile, volatile unsigned *flags, const float *parts, const float *whole)
{
    float before = 0;
    for (unsigned i = tile; i-- > 0;) {
        unsigned flag;
        do {
            flag = flags[i];
        } while (flag == 0);
        __threadfence();
        if (flag == 2)
            return before + whole[i];
        before += parts[i];
    }
    return before;
}

__global__ void scan(const float *x, float *y, unsigned *flags, float *parts, float *whole, unsigned n)
{
    __shared__ float warps[8];
    __shared__ unsigned tile;
    __shared__ float carried;
    if (threadIdx.x == 0)
        tile = atomicAdd(&flags[gridDim.x], 1);
    __syncthreads();
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, at = tile * 256 + threadIdx.x;
    float v = at < n ? x[at] : 0.0f;
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
    if (threadIdx.x == 255) {
        parts[tile] = v;
        atomicExch(&flags[tile], 1);
        float before = look_back(tile, flags, parts, whole);
        whole[tile] = before + v;
        __threadfence();
        atomicExch(&flags[tile], 2);
        carried = before;
    }
    __syncthreads();
    if (at < n)
        y[at] = carried + v;
}
